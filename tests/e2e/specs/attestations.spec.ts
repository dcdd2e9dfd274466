// The signatures of a bundle, verified with the libraries of sigstore.
import { createPublicKey } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { strFromU8, unzipSync } from "fflate";
import { expect, testWithSealedDemo } from "../support/fixtures";

interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

/** Throws unless the key signed the envelope. */
function verify(envelope: Envelope, publicKey: string): void {
  const hint = envelope.signatures[0]?.keyid;
  const bundle = bundleFromJSON({
    mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.2",
    verificationMaterial: { publicKey: { hint } },
    dsseEnvelope: envelope,
  });
  const key = { publicKey: createPublicKey(publicKey), validFor: () => true };
  const trusted = toTrustMaterial(TrustedRoot.fromJSON({}), () => key);
  const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trusted, thresholds).verify(toSignedEntity(bundle));
}

const statementOf = ({ payload }: Envelope) =>
  JSON.parse(Buffer.from(payload, "base64").toString());

testWithSealedDemo(
  "attestations of a bundle are valid for sigstore",
  async ({ api, sealedDemo: { build } }) => {
    const files = unzipSync(await api.download(`/api/builds/${build}/bundle`));
    const read = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    const publicKey = read("seal.pub");
    const envelopes = [
      "seal.dsse.json",
      "test-results.intoto.jsonl",
      "verification-summary.intoto.jsonl",
      "provenance.intoto.jsonl",
    ].map((name): Envelope => JSON.parse(read(name)));
    for (const envelope of envelopes) {
      verify(envelope, publicKey);
      const statement = statementOf(envelope);
      const changed = { ...statement, subject: [] };
      const payload = Buffer.from(JSON.stringify(changed)).toString("base64");
      expect(() => verify({ ...envelope, payload }, publicKey)).toThrow("signature");
    }
    expect(envelopes.map((envelope) => statementOf(envelope).predicateType)).toEqual([
      "urn:forgeguard:seal:v1",
      "https://in-toto.io/attestation/test-result/v0.1",
      "https://slsa.dev/verification_summary/v1",
      "https://slsa.dev/provenance/v1",
    ]);
  },
);
