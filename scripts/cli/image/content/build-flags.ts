export interface BuildFlags {
  /** `name:tag`. */
  reference: string;
  /** Where Docker writes what it made. */
  metadataFile: string;
  push: boolean;
  /** Such as `linux/amd64`; undefined: this machine's own. */
  platform: string | undefined;
}

/** What nodes are unless somebody says otherwise: an image of a laptop with ARM would not start on them. */
export const platformOfNodes = 'linux/amd64';

/** For `docker buildx build`. An image for the registry is for nodes, one for this machine's Docker is for this machine. */
export const buildFlags = ({ reference, metadataFile, push, platform }: BuildFlags): string[] => {
  const named = platform ?? (push ? platformOfNodes : undefined);
  return [
    ...['--tag', reference, '--metadata-file', metadataFile],
    ...(named === undefined ? [] : ['--platform', named]),
    push ? '--push' : '--load',
  ];
};
