import { equal, match, ok } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  begin,
  bytesOf,
  call,
  descriptor,
  digestOf,
  type Endpoint,
  errorCode,
  ociIndex,
  ociManifest,
  octets,
  pushBlob,
  pushImage,
  pushTags,
  tags,
  withDigest,
} from "./registry-requests.ts";

/** One behaviour of the distribution specification, tried over HTTP. */
export interface Point {
  readonly group: "Pull" | "Push" | "Content discovery" | "Content management";
  readonly name: string;
  readonly run: (registry: Endpoint) => Promise<void>;
}

const absent = digestOf(Buffer.from("nobody has this"));

const pull: readonly Omit<Point, "group">[] = [
  {
    name: "GET /v2/ answers 200",
    run: async (at) => equal((await call(at, "/v2/")).status, 200),
  },
  {
    name: "a blob is got by digest, with its length and digest",
    run: async (at) => {
      const content = randomBytes(1_000);
      const response = await call(at, `blobs/${await pushBlob(at, content)}`);
      equal(response.status, 200);
      equal(response.headers.get("content-length"), "1000");
      ok(content.equals(await bytesOf(response)));
    },
  },
  {
    name: "HEAD of a blob answers 200 with its length",
    run: async (at) => {
      const response = await call(at, `blobs/${await pushBlob(at, randomBytes(77))}`, { method: "HEAD" });
      equal(response.status, 200);
      equal(response.headers.get("content-length"), "77");
    },
  },
  {
    name: "an unknown blob answers 404 BLOB_UNKNOWN",
    run: async (at) => {
      const response = await call(at, `blobs/${absent}`);
      equal(response.status, 404);
      equal(await errorCode(response), "BLOB_UNKNOWN");
    },
  },
  {
    name: "a range of a blob answers 206",
    run: async (at) => {
      const content = randomBytes(100);
      const response = await call(at, `blobs/${await pushBlob(at, content)}`, { headers: { range: "bytes=10-19" } });
      equal(response.status, 206);
      match(response.headers.get("content-range") ?? "", /^bytes 10-19\/100$/);
      ok(content.subarray(10, 20).equals(await bytesOf(response)));
    },
  },
  {
    name: "a manifest is got by tag and by digest, byte for byte",
    run: async (at) => {
      const { bytes, digest } = await pushImage(at, "pulled");
      for (const reference of ["pulled", digest]) {
        const response = await call(at, `manifests/${reference}`, { headers: { accept: ociManifest } });
        equal(response.status, 200);
        equal(response.headers.get("content-type"), ociManifest);
        equal(response.headers.get("docker-content-digest"), digest);
        ok(bytes.equals(await bytesOf(response)));
      }
    },
  },
  {
    name: "HEAD of a manifest answers 200 with digest and length",
    run: async (at) => {
      const { bytes, digest } = await pushImage(at, "looked-at");
      const response = await call(at, "manifests/looked-at", { method: "HEAD", headers: { accept: ociManifest } });
      equal(response.status, 200);
      equal(response.headers.get("docker-content-digest"), digest);
      equal(response.headers.get("content-length"), String(bytes.length));
    },
  },
  {
    name: "an unknown manifest answers 404 MANIFEST_UNKNOWN",
    run: async (at) => {
      await pushImage(at, "known");
      const response = await call(at, "manifests/never-pushed");
      equal(response.status, 404);
      equal(await errorCode(response), "MANIFEST_UNKNOWN");
    },
  },
];

const push: readonly Omit<Point, "group">[] = [
  {
    name: "a blob is pushed by POST and PUT",
    run: async (at) => {
      const content = randomBytes(20);
      const response = await call(at, withDigest(await begin(at), digestOf(content)), {
        method: "PUT",
        headers: octets,
        body: content,
      });
      equal(response.status, 201);
      ok((response.headers.get("location") ?? "").includes(digestOf(content)));
    },
  },
  {
    name: "a blob is pushed by one POST, or the registry asks for a PUT",
    run: async (at) => {
      const content = randomBytes(20);
      const response = await call(at, withDigest("blobs/uploads/", digestOf(content)), {
        method: "POST",
        headers: octets,
        body: content,
      });
      ok([201, 202].includes(response.status), String(response.status));
    },
  },
  {
    name: "a blob is pushed in chunks, and the upload says how far it is",
    run: async (at) => {
      const content = randomBytes(30);
      let location = await begin(at);
      for (const [from, to] of [
        [0, 12],
        [12, 30],
      ] as const) {
        const headers = { ...octets, "content-range": `${from}-${to - 1}`, "content-length": String(to - from) };
        const response = await call(at, location, { method: "PATCH", headers, body: content.subarray(from, to) });
        equal(response.status, 202);
        match(response.headers.get("range") ?? "", new RegExp(`^0-${to - 1}$`));
        location = response.headers.get("location") ?? "";
      }
      const progress = await call(at, location);
      equal(progress.status, 204);
      match(progress.headers.get("range") ?? "", /^0-29$/);
      const response = await call(at, withDigest(location, digestOf(content)), {
        method: "PUT",
        headers: { "content-length": "0" },
      });
      equal(response.status, 201);
    },
  },
  {
    name: "a chunk out of order answers 416",
    run: async (at) => {
      const location = await begin(at);
      const headers = { ...octets, "content-range": "5-9", "content-length": "5" };
      equal((await call(at, location, { method: "PATCH", headers, body: randomBytes(5) })).status, 416);
    },
  },
  {
    name: "other bytes than the digest says answer 400 DIGEST_INVALID",
    run: async (at) => {
      const response = await call(at, withDigest(await begin(at), absent), {
        method: "PUT",
        headers: octets,
        body: randomBytes(9),
      });
      equal(response.status, 400);
      equal(await errorCode(response), "DIGEST_INVALID");
      equal((await call(at, `blobs/${absent}`)).status, 404);
    },
  },
  {
    name: "an upload can be cancelled",
    run: async (at) => {
      const location = await begin(at);
      equal((await call(at, location, { method: "DELETE" })).status, 204);
      equal((await call(at, location)).status, 404);
    },
  },
  {
    name: "a blob is mounted from another repository",
    run: async (at) => {
      const digest = await pushBlob({ ...at, repository: `${at.repository}-source` }, randomBytes(40));
      const query = new URLSearchParams({ mount: digest, from: `${at.repository}-source` }).toString();
      const response = await call(at, `blobs/uploads/?${query}`, {
        method: "POST",
        headers: { "content-length": "0" },
      });
      equal(response.status, 201);
      equal((await call(at, `blobs/${digest}`, { method: "HEAD" })).status, 200);
    },
  },
  {
    name: "a mount of what is not there becomes an upload",
    run: async (at) => {
      const query = new URLSearchParams({ mount: absent, from: "nobody/has/this" }).toString();
      const response = await call(at, `blobs/uploads/?${query}`, {
        method: "POST",
        headers: { "content-length": "0" },
      });
      equal(response.status, 202);
    },
  },
  {
    name: "a manifest is pushed by tag and by digest",
    run: async (at) => {
      for (const reference of ["pushed", ""]) {
        const { digest, response } = await pushImage(at, reference);
        equal(response.status, 201);
        equal(response.headers.get("docker-content-digest"), digest);
      }
    },
  },
  {
    name: "a tag can be moved",
    run: async (at) => {
      const first = await pushImage(at, "moving");
      const second = await pushImage(at, "moving");
      const at2 = await call(at, "manifests/moving", { method: "HEAD", headers: { accept: ociManifest } });
      equal(at2.headers.get("docker-content-digest"), second.digest);
      equal((await call(at, `manifests/${first.digest}`, { headers: { accept: ociManifest } })).status, 200);
    },
  },
  {
    name: "a manifest that names an absent layer is refused",
    run: async (at) => {
      const layers = [{ mediaType: "application/octet-stream", digest: absent, size: 3 }];
      const { response } = await pushImage(at, "incomplete", { layers });
      ok([400, 404].includes(response.status), String(response.status));
      equal(await errorCode(response), "MANIFEST_BLOB_UNKNOWN");
    },
  },
  {
    name: "a manifest that is no JSON answers 400 MANIFEST_INVALID",
    run: async (at) => {
      const response = await call(at, "manifests/broken", {
        method: "PUT",
        headers: { "content-type": ociManifest },
        body: Buffer.from("{"),
      });
      equal(response.status, 400);
      equal(await errorCode(response), "MANIFEST_INVALID");
    },
  },
  {
    name: "a manifest with a subject answers with OCI-Subject",
    run: async (at) => {
      const subject = await pushImage(at, "subject");
      const { response } = await pushImage(at, "", { subject: descriptor(subject.bytes, ociManifest) });
      equal(response.status, 201);
      equal(response.headers.get("oci-subject"), subject.digest);
    },
  },
  {
    name: "an index is pushed",
    run: async (at) => {
      const { bytes } = await pushImage(at, "child");
      const body = Buffer.from(
        JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests: [descriptor(bytes, ociManifest)] }),
      );
      equal(
        (await call(at, "manifests/index", { method: "PUT", headers: { "content-type": ociIndex }, body })).status,
        201,
      );
    },
  },
];

const discovery: readonly Omit<Point, "group">[] = [
  {
    name: "tags are listed in order",
    run: async (at) => {
      const own = { ...at, repository: `${at.repository}/listed` };
      await pushTags(own, ["h", "b", "g", "a", "f", "c", "e", "d"]);
      equal((await tags(own)).list.join(), "a,b,c,d,e,f,g,h");
    },
  },
  {
    name: "tags are listed in pages with n and last, linked to each other",
    run: async (at) => {
      const own = { ...at, repository: `${at.repository}/paged` };
      await pushTags(own, ["a", "b", "c"]);
      const first = await tags(own, "?n=2");
      equal(first.list.join(), "a,b");
      match(first.link, /<[^>]*last=b[^>]*>; rel="next"/);
      equal((await tags(own, "?n=2&last=b")).list.join(), "c");
    },
  },
  {
    name: "n=0 lists no tag",
    run: async (at) => {
      const own = { ...at, repository: `${at.repository}/none` };
      await pushImage(own, "a");
      equal((await tags(own, "?n=0")).list.length, 0);
    },
  },
  {
    name: "tags of an unknown repository answer 404 NAME_UNKNOWN",
    run: async (at) => {
      const response = await call({ ...at, repository: "never/pushed" }, "tags/list");
      equal(response.status, 404);
      equal(await errorCode(response), "NAME_UNKNOWN");
    },
  },
  {
    name: "referrers of a manifest are listed, and filtered by artifact type",
    run: async (at) => {
      const subject = await pushImage(at, "referred");
      const signed = await pushImage(at, "", {
        subject: descriptor(subject.bytes, ociManifest),
        artifactType: "test/signature",
      });
      await pushImage(at, "", { subject: descriptor(subject.bytes, ociManifest), artifactType: "test/sbom" });
      const all = await call(at, `referrers/${subject.digest}`);
      equal(all.status, 200);
      equal(all.headers.get("content-type"), ociIndex);
      equal(((await all.json()) as { manifests: object[] }).manifests.length, 2);
      const filtered = await call(at, `referrers/${subject.digest}?artifactType=test%2Fsignature`);
      match(filtered.headers.get("oci-filters-applied") ?? "", /artifactType/);
      const { manifests } = (await filtered.json()) as { manifests: readonly { digest: string }[] };
      equal(manifests.map(({ digest }) => digest).join(), signed.digest);
    },
  },
  {
    name: "referrers of an unknown digest are an empty index",
    run: async (at) => {
      const response = await call(at, `referrers/${absent}`);
      equal(response.status, 200);
      equal(((await response.json()) as { manifests: object[] }).manifests.length, 0);
    },
  },
];

const management: readonly Omit<Point, "group">[] = [
  {
    name: "a manifest is deleted by digest, and its tags with it",
    run: async (at) => {
      const { digest } = await pushImage(at, "doomed");
      equal((await call(at, `manifests/${digest}`, { method: "DELETE" })).status, 202);
      equal((await call(at, `manifests/${digest}`)).status, 404);
      equal((await call(at, "manifests/doomed")).status, 404);
    },
  },
  {
    name: "a tag is deleted, and its manifest stays",
    run: async (at) => {
      const { digest } = await pushImage(at, "untagged");
      equal((await call(at, "manifests/untagged", { method: "DELETE" })).status, 202);
      equal((await call(at, "manifests/untagged")).status, 404);
      equal((await call(at, `manifests/${digest}`, { headers: { accept: ociManifest } })).status, 200);
    },
  },
  {
    name: "a blob is deleted",
    run: async (at) => {
      const digest = await pushBlob(at, randomBytes(33));
      equal((await call(at, `blobs/${digest}`, { method: "DELETE" })).status, 202);
      equal((await call(at, `blobs/${digest}`)).status, 404);
    },
  },
  {
    name: "a deleted referrer is no longer listed",
    run: async (at) => {
      const subject = await pushImage(at, "kept");
      const { digest } = await pushImage(at, "", { subject: descriptor(subject.bytes, ociManifest) });
      equal((await call(at, `manifests/${digest}`, { method: "DELETE" })).status, 202);
      const list = await call(at, `referrers/${subject.digest}`);
      equal(((await list.json()) as { manifests: object[] }).manifests.length, 0);
    },
  },
];

const inGroup = (group: Point["group"], points: readonly Omit<Point, "group">[]): readonly Point[] =>
  points.map((point) => ({ group, ...point }));

/** The points of the distribution specification that our registry and client rely on. */
export const points: readonly Point[] = [
  ...inGroup("Pull", pull),
  ...inGroup("Push", push),
  ...inGroup("Content discovery", discovery),
  ...inGroup("Content management", management),
];
