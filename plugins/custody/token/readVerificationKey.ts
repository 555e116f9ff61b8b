import { createPublicKey, type KeyObject } from "node:crypto";

/** Reads a P-256 public key: PEM (also with `\n` written out, as environments do), SPKI base64. */
export function readVerificationKey(text: string): KeyObject | null {
	const pem = text.replaceAll("\\n", "\n").trim();
	try {
		const key = pem.startsWith("-----BEGIN PUBLIC KEY-----")
			? createPublicKey({ key: pem, format: "pem", type: "spki" })
			: createPublicKey({ key: Buffer.from(pem, "base64"), format: "der", type: "spki" });
		return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
	} catch {
		return null;
	}
}
