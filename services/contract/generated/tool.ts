// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Name of an environment variable.
 */
export type EnvironmentName = string;

/**
 * One tool that agents may call. It is answered either by an HTTP endpoint (http) or by the person's application (client: true).
 */
export interface ToolFile {
  /**
   * The tool's name; the same as the file's name without .yaml.
   */
  name: string;
  /**
   * What the tool does and when to use it. The model decides by this text alone.
   */
  description: string;
  /**
   * JSON Schema of the arguments, of type object. Arguments are checked against it before anything runs.
   */
  parameters: {
    [k: string]: unknown;
  };
  /**
   * How long a call may take. 100ms to 60s, default 10s.
   */
  timeout: string;
  /**
   * true: the call may be repeated when its outcome is unknown, for example after a crash. Default false.
   */
  idempotent: boolean;
  http?: HttpCall;
  /**
   * true: the widget or the customer's application answers the call, in the room.
   */
  client?: true;
}
export interface HttpCall {
  /**
   * GET and DELETE send the arguments that are not in the address as a query, the others as a JSON body. Default POST.
   */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * An https address, or {env: NAME, path: /orders/{{orderId}}} with the base address in the environment. {{argument}} is filled in and URL-escaped.
   */
  url:
    | string
    | {
        env: EnvironmentName;
        /**
         * Appended to the base address; begins with a slash.
         */
        path: string;
      };
  /**
   * Headers to send. Secrets are {env: NAME}. Default: none.
   */
  headers: {
    /**
     * A value, or {env: NAME}.
     */
    [k: string]:
      | string
      | {
          env: EnvironmentName;
        };
  };
  /**
   * A longer response fails the call. Default 65536, maximum 1048576.
   */
  maxResponseBytes: number;
}
