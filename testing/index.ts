export { FakeClock } from "./fake-clock.ts";
export { type KeyPair, makeKeyPair } from "./key-pair.ts";
export { type ScriptedAnswer, ScriptedStream, ScriptedTransport } from "./scripted-transport.ts";
