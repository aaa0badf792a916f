/** What a container asks for, and gets at most. */
export interface Resources {
  cpuMilli: number;
  cpuLimitMilli: number;
  memoryMib: number;
  memoryLimitMib: number;
}
