import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Fault } from "#core/fault/Fault.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";
import { verifyWebhook } from "#plugins/custody/webhook/verifyWebhook.ts";

// Guarantee: only who has the secret is heard, only for these very bytes, and only now.

/** Of Svix's documentation, and of the Standard Webhooks specification. */
const published = [
	{
		secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
		id: "msg_loFOjxBNrRLzqYUf",
		timestamp: "1731705121",
		body: '{"event_type":"ping","data":{"success":true}}',
		signature: "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
	},
	{
		secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
		timestamp: "1614265330",
		body: '{"test": 2432232314}',
		signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	},
] as const;
const [vector] = published;
type Vector = { [Name in keyof typeof vector]: string };

/** What is said of a delivery; its id where it is right. */
function verdict(changed: Partial<Vector> = {}, offMs = 0): string {
	const { secret, id, timestamp, body, signature } = { ...vector, ...changed };
	const key = readWebhookSecret(secret);
	if (!key) throw new Error("no secret");
	const headers = new Headers({
		"svix-id": id,
		"svix-timestamp": timestamp,
		"svix-signature": signature,
	});
	const nowMs = Number(vector.timestamp) * 1_000 + offMs;
	try {
		return verifyWebhook(key, { headers, body: Buffer.from(body), nowMs });
	} catch (error) {
		if (error instanceof Fault) return `${error.status} ${error.code}`;
		throw error;
	}
}

/** Signed with the vector's own secret. */
function signed({ id, timestamp, body }: Pick<Vector, "id" | "timestamp" | "body">): string {
	const key = Buffer.from(vector.secret.slice("whsec_".length), "base64");
	const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
	return `v1,${mac}`;
}

const HEADERS = "400 webhook_headers";
const SIGNATURE = "401 webhook_signature";
const TIME = "401 webhook_time";

for (const one of published) {
	test(`the published vector ${one.id} is right at its time`, () => {
		const offMs = (Number(one.timestamp) - Number(vector.timestamp)) * 1_000;
		expect(verdict(one, offMs)).toBe(one.id);
	});
}

describe("a signature", () => {
	test("is of this body, this id, this time and this secret", () => {
		expect(verdict({ body: vector.body.replace("true", "false") })).toBe(SIGNATURE);
		expect(verdict({ body: `${vector.body} ` })).toBe(SIGNATURE);
		expect(verdict({ body: "" })).toBe(SIGNATURE);
		expect(verdict({ id: "msg_another" })).toBe(SIGNATURE);
		expect(verdict({ timestamp: String(Number(vector.timestamp) + 1) })).toBe(SIGNATURE);
		expect(verdict({ secret: published[1].secret })).toBe(SIGNATURE);
	});

	test("counts wherever it stands among others, and others do not count", () => {
		const { signature } = vector;
		const wrong = `v1,${Buffer.alloc(32, 1).toString("base64")}`;
		expect(verdict({ signature: `${wrong} ${signature}` })).toBe(vector.id);
		expect(verdict({ signature: `v1a,abc ${signature} v2,x` })).toBe(vector.id);
		expect(verdict({ signature: `${wrong} ${wrong}` })).toBe(SIGNATURE);
		expect(verdict({ signature: signature.replace("v1,", "v2,") })).toBe(SIGNATURE);
		expect(verdict({ signature: signature.replace("v1,", "") })).toBe(SIGNATURE);
	});

	test("is looked for among eight at most", () => {
		const seven = Array.from({ length: 7 }, () => "v1,x").join(" ");
		expect(verdict({ signature: `${seven} ${vector.signature}` })).toBe(vector.id);
		expect(verdict({ signature: `${seven} v1,x ${vector.signature}` })).toBe(HEADERS);
		expect(verdict({ signature: "v1,".padEnd(1_025, "x") })).toBe(HEADERS);
	});

	test("in another form or length is wrong, and no error", () => {
		const hex = Buffer.from(vector.signature.slice(3), "base64").toString("hex");
		const url = vector.signature.replaceAll("+", "-").replaceAll("/", "_");
		for (const signature of [`v1,${hex}`, url, vector.signature.slice(0, -1), "v1,", ",", "é"]) {
			expect([signature, verdict({ signature })]).toEqual([signature, SIGNATURE]);
		}
	});

	test("has no bit that does not matter", () => {
		const bits = Buffer.from(vector.signature.slice(3), "base64");
		fc.assert(
			fc.property(fc.nat(bits.length * 8 - 1), (bit) => {
				const other = Buffer.from(bits);
				other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
				expect(verdict({ signature: `v1,${other.toString("base64")}` })).toBe(SIGNATURE);
			}),
		);
	});
});

test("five minutes are the most that its time may be off, either way", () => {
	for (const sign of [1, -1]) {
		expect(verdict({}, sign * 300_000)).toBe(vector.id);
		expect(verdict({}, sign * 300_001)).toBe(TIME);
	}
	// An old one is refused for its age, however right it was.
	expect(verdict({}, 86_400_000)).toBe(TIME);
});

test("headers that are missing or odd are said to be, before anything is compared", () => {
	const odd: Partial<Vector>[] = [
		{ id: "" },
		{ id: "with a blank" },
		{ id: "m".repeat(129) },
		{ timestamp: "" },
		{ timestamp: "1e9" },
		{ timestamp: "-1" },
		{ timestamp: "0x66" },
		{ timestamp: "1731705121.0" },
		{ timestamp: "9".repeat(13) },
		{ signature: "" },
	];
	for (const changed of odd) {
		const { id, timestamp, body, signature } = { ...vector, ...changed };
		const right = signature && signed({ id, timestamp, body });
		expect([changed, verdict({ ...changed, signature: right })]).toEqual([changed, HEADERS]);
	}
});
