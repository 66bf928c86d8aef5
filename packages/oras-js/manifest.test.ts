import { equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { digestOf } from "./digest.ts";
import { type Descriptor, type ImageIndex, type Platform, selectPlatform } from "./manifest.ts";
import { mediaTypes } from "./media-types.ts";
import { bareHost, isGuardedAddress, isGuardedHost, isLinkLocalHost, isLoopbackHost } from "./network-guard.ts";

function entry(name: string, platform?: Platform): Descriptor {
  return {
    mediaType: mediaTypes.ociManifest,
    digest: digestOf(name),
    size: 1,
    ...(platform === undefined ? {} : { platform }),
  };
}
const index = (...manifests: readonly Descriptor[]): ImageIndex => ({
  kind: "index",
  mediaType: mediaTypes.ociIndex,
  manifests,
  annotations: {},
});
const amd64 = { os: "linux", architecture: "amd64" };
const arm = { os: "linux", architecture: "arm", variant: "v7" };

describe("selectPlatform", () => {
  const images = index(entry("arm6", { ...arm, variant: "v6" }), entry("arm7", arm), entry("amd64", amd64));

  test("finds the manifest of a platform, with its variant if one is asked for", () => {
    equal(selectPlatform(images, amd64, "r").digest, digestOf("amd64"));
    equal(selectPlatform(images, arm, "r").digest, digestOf("arm7"));
    equal(selectPlatform(images, { os: "linux", architecture: "arm" }, "r").digest, digestOf("arm6"));
  });

  test("needs no choice when there is one entry without platform", () => {
    equal(selectPlatform(index(entry("only")), amd64, "r").digest, digestOf("only"));
  });

  test("says what there is when none fits", () => {
    throws(
      () => selectPlatform(images, { os: "windows", architecture: "amd64" }, "reg.io/a:1"),
      /reg\.io\/a:1: index has no manifest for windows\/amd64; found linux\/arm\/v6, linux\/arm\/v7, linux\/amd64/,
    );
    throws(() => selectPlatform(index(), amd64, "r"), /found no manifest at all/);
    throws(() => selectPlatform(index(entry("a"), entry("b")), amd64, "r"), /found an entry without platform/);
  });
});

describe("addresses", () => {
  const cases = [
    { host: "127.0.0.1", loopback: true, guarded: true },
    { host: "127.8.9.1:5000", loopback: true, guarded: true },
    { host: "localhost:5000", loopback: true, guarded: true },
    { host: "reg.localhost", loopback: true, guarded: true },
    { host: "[::1]:5000", loopback: true, guarded: true },
    { host: "0.0.0.0", loopback: true, guarded: true },
    { host: "::ffff:127.0.0.1", loopback: false, guarded: false },
    { host: "[::ffff:127.0.0.1]", loopback: true, guarded: true },
    { host: "169.254.169.254", loopback: false, guarded: true },
    { host: "[fe80::1]", loopback: false, guarded: true },
    { host: "10.0.0.1", loopback: false, guarded: false },
    { host: "reg.io", loopback: false, guarded: false },
    { host: "localhost.evil.com", loopback: false, guarded: false },
  ];
  for (const { host, loopback, guarded } of cases) {
    test(`${host} is ${loopback ? "" : "not "}this machine, and ${guarded ? "" : "not "}guarded`, () => {
      equal(isLoopbackHost(host), loopback);
      equal(isGuardedHost(host), guarded);
    });
  }

  test("of a resolver are guarded in every notation", () => {
    for (const address of ["127.0.0.1", "::1", "::", "0.0.0.0", "::ffff:169.254.169.254", "fe80::abcd"])
      equal(isGuardedAddress(address), true, address);
    equal(isGuardedAddress("93.184.216.34"), false);
    equal(isLinkLocalHost("169.254.1.1:80"), true);
    equal(bareHost("[2001:db8::1]:443"), "2001:db8::1");
  });
});
