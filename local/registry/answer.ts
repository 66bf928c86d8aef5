/** What a handler answers; the server adds nothing but the API version header. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Ends a request with an error document of the distribution specification. */
export class RegistryError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const errors = {
  blobUnknown: () => new RegistryError(404, "BLOB_UNKNOWN", "blob unknown to registry"),
  blobUploadInvalid: (why: string) => new RegistryError(400, "BLOB_UPLOAD_INVALID", `blob upload invalid: ${why}`),
  blobUploadUnknown: () => new RegistryError(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry"),
  digestInvalid: (why: string) => new RegistryError(400, "DIGEST_INVALID", `digest invalid: ${why}`),
  manifestBlobUnknown: (digest: string) =>
    new RegistryError(404, "MANIFEST_BLOB_UNKNOWN", `manifest references a blob that is not here: ${digest}`),
  manifestInvalid: (why: string) => new RegistryError(400, "MANIFEST_INVALID", `manifest invalid: ${why}`),
  manifestUnknown: () => new RegistryError(404, "MANIFEST_UNKNOWN", "manifest unknown to registry"),
  nameUnknown: () => new RegistryError(404, "NAME_UNKNOWN", "repository name not known to registry"),
  rangeInvalid: () => new RegistryError(416, "RANGE_INVALID", "range of the request cannot be satisfied"),
  sizeInvalid: (why: string) => new RegistryError(413, "SIZE_INVALID", why),
  unauthorized: () => new RegistryError(401, "UNAUTHORIZED", "authentication required"),
  unsupported: () => new RegistryError(405, "UNSUPPORTED", "the operation is unsupported"),
} as const;

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

/** The error document. */
export function failure({ status, code, message }: RegistryError): Answer {
  return { ...json({ errors: [{ code, message }] }), status };
}
