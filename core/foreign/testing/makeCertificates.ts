import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A key and its certificate in PEM, as servers are given them. */
export type Certificate = { key: string; cert: string };

export type CertificateWish = { names: readonly string[]; isExpired?: boolean };

const ECDSA_SHA256 = Buffer.from("300a06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const ALT_NAMES = Buffer.from("0603551d11", "hex");
const TRUE = Buffer.from("0101ff", "hex");

/** An authority that nobody trusts, and certificates of its making (RFC 5280). */
export function makeCertificates<Key extends string>(wishes: Record<Key, CertificateWish>) {
	const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const isAuthority = extension(BASIC_CONSTRAINTS, TRUE, der(0x04, der(0x30, TRUE)));
	const make = (wish: CertificateWish): Certificate => {
		const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const names = wish.names.map((name) => der(0x82, Buffer.from(name)));
		return {
			key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
			cert: certificate({
				subject: "test",
				publicKey,
				signedWith: authority.privateKey,
				isExpired: wish.isExpired ?? false,
				extension: extension(ALT_NAMES, der(0x04, der(0x30, ...names))),
			}),
		};
	};
	const made: Partial<Record<Key, Certificate>> = {};
	for (const key in wishes) made[key] = make(wishes[key]);
	return {
		of(key: Key): Certificate {
			const found = made[key];
			if (!found) throw new Error(`no certificate "${key}" was wished for`);
			return found;
		},
		authority: certificate({
			subject: "test authority",
			publicKey: authority.publicKey,
			signedWith: authority.privateKey,
			isExpired: false,
			extension: isAuthority,
		}),
	};
}

function certificate(about: {
	subject: string;
	publicKey: KeyObject;
	signedWith: KeyObject;
	isExpired: boolean;
	extension: Buffer;
}): string {
	const until = about.isExpired ? "010101000000Z" : "490101000000Z";
	const told = der(
		0x30,
		der(0xa0, Buffer.from("020102", "hex")),
		der(0x02, Buffer.from([1 + about.subject.length])),
		ECDSA_SHA256,
		nameOf("test authority"),
		der(0x30, time("000101000000Z"), time(until)),
		nameOf(about.subject),
		about.publicKey.export({ type: "spki", format: "der" }),
		der(0xa3, der(0x30, about.extension)),
	);
	const signature = der(0x03, Buffer.from([0]), sign("sha256", told, about.signedWith));
	const base64 = der(0x30, told, ECDSA_SHA256, signature).toString("base64");
	const lines = base64.match(/.{1,64}/g) ?? [];
	return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

const time = (text: string) => der(0x17, Buffer.from(text));

function nameOf(text: string): Buffer {
	return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(text)))));
}

function extension(...parts: Buffer[]): Buffer {
	return der(0x30, ...parts);
}

/** One value: its kind, its length, what it holds. */
function der(kind: number, ...parts: Uint8Array[]): Buffer {
	const value = Buffer.concat(parts);
	const { length } = value;
	const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	const size = length < 128 ? [length] : long;
	return Buffer.concat([Buffer.from([kind, ...size]), value]);
}
