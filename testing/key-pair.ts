import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A self-signed certificate that is its own authority, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Makes a certificate for a name and the loopback address, valid for a day on each side of now. */
export async function makeKeyPair(options: { readonly name: string }): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const day = 86_400_000;
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString("hex"),
      name: `CN=${options.name}`,
      notBefore: new Date(Date.now() - day),
      notAfter: new Date(Date.now() + day),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 1, true),
        new SubjectAlternativeNameExtension([
          { type: "dns", value: options.name },
          { type: "ip", value: "127.0.0.1" },
        ]),
      ],
    },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { certificate: `${certificate.toString("pem")}\n`, key: PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
