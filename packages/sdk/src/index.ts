export { AttachStream } from "./attach-stream.ts";
export { ByteQueue } from "./byte-queue.ts";
export type { ClientOptions } from "./client.ts";
export { Client, connect } from "./client.ts";
export type { CallArguments, CallOptions, MethodCall, MethodTree } from "./method-tree.ts";
export type { KnownEvent, ReceivedEvent, Subscription, UnknownEvent } from "./subscription.ts";
export type { ByteStream, Purpose, Transport } from "./transport.ts";
export type { ResultValidator } from "./validator.ts";
export type { WaitCondition, WaitOptions } from "./wait.ts";
