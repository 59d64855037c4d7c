import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import type { MethodName } from "@pohunek/protocol/wire";
import { METHODS } from "@pohunek/protocol/wire";
import type { Cancellation } from "./cancellation.ts";

export interface CallOptions extends Cancellation {
  /** How long to wait for the answer, beyond the time that the request itself waits. */
  readonly timeoutMs?: number;
}

/** Arguments of a call: params may be left out where the method takes none. */
export type CallArguments<Name extends MethodName> =
  undefined extends ParamsOf<Name>
    ? [params?: ParamsOf<Name>, options?: CallOptions]
    : [params: ParamsOf<Name>, options?: CallOptions];

/** A method as a function. */
export type MethodCall<Name extends MethodName> = (...args: CallArguments<Name>) => Promise<ResultOf<Name>>;

type Rest<Prefix extends string> = MethodName extends infer Name
  ? Name extends `${Prefix}${infer Tail}`
    ? Tail
    : never
  : never;

type Head<Tail extends string> = Tail extends `${infer First}.${string}` ? First : Tail;

/** All methods by the parts of their names: `methods.session.policy.get()`. */
export type MethodTree<Prefix extends string = ""> = {
  readonly [Part in Head<Rest<Prefix>>]: `${Prefix}${Part}` extends MethodName
    ? MethodCall<`${Prefix}${Part}`>
    : MethodTree<`${Prefix}${Part}.`>;
};

type AnyCall = (name: MethodName, params?: unknown, options?: CallOptions) => Promise<unknown>;

interface Branch {
  [part: string]: Branch | ((params?: unknown, options?: CallOptions) => Promise<unknown>);
}

/** Makes the tree from the one list of methods. */
export function createMethodTree(call: AnyCall): MethodTree {
  const root: Branch = {};
  for (const name of Object.keys(METHODS) as MethodName[]) {
    const parts = name.split(".");
    const last = parts.pop() ?? name;
    let branch = root;
    for (const part of parts) branch = (branch[part] ??= {}) as Branch;
    branch[last] = (params, options) => call(name, params, options);
  }
  return root as unknown as MethodTree;
}
