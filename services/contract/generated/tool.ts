// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Name of an environment variable.
 */
export type EnvironmentName = string;

/**
 * One tool that agents may call. It is answered either by an HTTP endpoint (http) or by the person's application (client: true). More in docs/write-agents/tools.md.
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
   * JSON Schema of the arguments, of type object. Arguments are checked against it before anything runs; those that it does not name are refused, unless it says additionalProperties.
   */
  parameters: {
    [k: string]: unknown;
  };
  /**
   * How long a call may take, all its attempts together. 100ms to 60s, default 10s.
   */
  timeout: string;
  /**
   * true: the call may be repeated, under the same id: after a crash when its outcome is unknown, and when the endpoint fails in passing (GET, PUT and DELETE are repeated then anyway). Default false.
   */
  idempotent: boolean;
  /**
   * true: who speaks or writes over the agent ends the call, and its outcome may be unknown. Otherwise the call goes on, and what was said is answered after it. Default false.
   */
  interruptible?: boolean;
  http?: HttpCall;
  /**
   * true: the person's page or app answers the call, by a room RPC method of the tool's name (docs/write-agents/tools.md).
   */
  client?: true;
  keypad?: Keypad;
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
   * Headers to send. Secrets are {env: NAME}. Idempotency-Key and X-Signature are sent by themselves. Default: none.
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
   * A longer response is cut here, and the model is told so. Default 65536, maximum 1048576.
   */
  maxResponseBytes: number;
}
export interface Keypad {
  /**
   * The argument's name, which is none of parameters.
   */
  parameter: string;
  /**
   * So many end it.
   */
  digits: number;
  /**
   * With fewer the tool does not run, and the model is told. Default: as many as digits.
   */
  least?: number;
  /**
   * The key that ends it before; it is no part of the argument. Default #.
   */
  end: '#' | '*' | 'none';
  /**
   * How long the person has for all of it. 1s to 60s, default 20s.
   */
  timeout: string;
  /**
   * What the person is asked for, in every language, or a map from language code to text; * is any other. Left out: the model asks before.
   */
  say?:
    | string
    | {
        [k: string]: string;
      };
}
