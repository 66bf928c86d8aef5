export { certificateOf, certifiedClient } from "./certified-client.ts";
export { startCluster, type TestCluster } from "./cluster.ts";
export { FakeClock } from "./fake-clock.ts";
export { type EventFault, type FaultPlan, FaultTransport, isWrite, type RequestFault } from "./faults.ts";
export { sampleFleet } from "./fleet-samples.ts";
export { type FleetWorld, startFleetWorld } from "./fleet-world.ts";
export { type RecordOptions, recordHistories } from "./histories.ts";
export { historyProblems } from "./history.ts";
export {
  type InfrastructureWorld,
  type InfrastructureWorldOptions,
  restartedInfrastructure,
  startInfrastructureWorld,
} from "./infrastructure-world.ts";
export { type KeyPair, makeKeyPair } from "./key-pair.ts";
export { KymaStage, type WireControllers } from "./kyma-stage.ts";
export {
  accessSecret,
  kymaObject,
  type LifecycleWorld,
  moduleObjects,
  ourCrds,
  patiently,
  type RemoteClientsStub,
  restarted,
  startLifecycleWorld,
  templateObject,
  type WorldFaults,
} from "./lifecycle-world.ts";
export { type ManifestWiring, ManifestWorld, manifestObject } from "./manifest-world.ts";
export { type MemoryDirectory, memoryDirectory } from "./memory-directory.ts";
export { sampleModule, sampleVersions } from "./module-objects.ts";
export { ownersOf, type RecordedWrite, replayWrites, type StoredObject } from "./recorded-writes.ts";
export { Refusals } from "./refusals.ts";
export { runOnClock } from "./running-manager.ts";
export { landscapeText, type RuntimeSample, runtimeObject, tenantsText } from "./runtime-sample.ts";
export { addSampleController, children, parent, parents } from "./sample-controller.ts";
export { runSample, sampleLease, sampleStory } from "./sample-story.ts";
export { type ScriptedAnswer, ScriptedStream, ScriptedTransport } from "./scripted-transport.ts";
export { SeededRandom } from "./seeded-random.ts";
export { startEmbeddedServer, startKubeApiServer, type TestServer, tokenKubeconfig } from "./servers.ts";
export { type FleetReplica, fleetLease, playShards, ShardFleet } from "./shard-fleet.ts";
export { shootSample } from "./shoot-sample.ts";
export {
  endState,
  everyFault,
  everyLeaseLoss,
  everySeed,
  type Faults,
  type Life,
  play,
  type Run,
  type Story,
} from "./simulation.ts";
export { askStrangely, type StrangeRequest, startServerForStrangers, strangeRequests } from "./strange-requests.ts";
export { playSwitchovers, type Switchovers } from "./switchovers.ts";
export { Trouble } from "./trouble.ts";
