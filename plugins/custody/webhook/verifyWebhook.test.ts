import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Fault } from "#core/fault.ts";
import {
	readWebhookEvent,
	readWebhookSecret,
	verifyWebhook,
} from "#plugins/custody/webhook/verifyWebhook.ts";

describe("readWebhookEvent", () => {
	const read = (value: unknown) => {
		return readWebhookEvent(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
	};
	const REFERENCE = "0199a8f3-5b1c-7cc2-9d11-0c8d6a1f2b3c";
	/** As the provider's documentation shows one. */
	const confirmed = {
		type: "transaction.confirmed",
		caip2: "eip155:4663",
		transaction_hash: `0x${"28".repeat(32)}`,
		transaction_id: "b2ua14lrsfj2kq8r8mlm9z07",
		wallet_id: "e1b5xyqbufbv5xc8xiaxk9pp",
		reference_id: REFERENCE,
	};

	test("a transaction event gives only its kind and our reference; its other members are not used", () => {
		const events = [
			"broadcasted",
			"still_pending",
			"confirmed",
			"execution_reverted",
			"replaced",
			"failed",
			"provider_error",
		] as const;
		for (const name of events) {
			expect(read({ ...confirmed, type: `transaction.${name}` })).toEqual({
				kind: "transaction",
				name,
				reference: REFERENCE,
			});
		}
	});

	test("a transaction without a reference of ours is ignored", () => {
		for (const reference_id of [undefined, null, "", "order-17", `${REFERENCE}x`]) {
			expect(read({ ...confirmed, reference_id })).toMatchObject({ reference: null });
		}
	});

	test("events of other kinds, also of unknown ones, are ignored", () => {
		for (const type of ["user.created", "transaction.finalized", "transaction.", "confirmed"]) {
			expect(read({ ...confirmed, type })).toEqual({ kind: "other" });
		}
		// Whatever else they have.
		expect(read({ type: "wallet.funds_deposited", reference_id: 7 })).toEqual({ kind: "other" });
	});

	test("a text that is no event, or lacks a member of its kind, is refused", () => {
		const odd = ["", "null", "[]", "7", '"x"', "{", "\u0000", '{"type":7}', '{"type":""}'];
		for (const text of odd) expect([text, read(text)]).toEqual([text, null]);
		expect(read({ ...confirmed, transaction_id: undefined })).toBeNull();
		expect(read({ ...confirmed, transaction_id: 7 })).toBeNull();
		expect(read({ ...confirmed, reference_id: { $ne: 1 } })).toBeNull();
		expect(read({ type: "t".repeat(129) })).toBeNull();
		expect(readWebhookEvent(new Uint8Array([0x7b, 0xff, 0x7d]))).toBeNull();
	});
});

describe("readWebhookSecret", () => {
	test("the key is the text after the prefix, decoded from base64", () => {
		const key = Buffer.alloc(24, 0xfb);
		const read = readWebhookSecret(`whsec_${key.toString("base64")}`);
		expect(Buffer.from(read ?? []).equals(key)).toBe(true);
	});

	const odd = [
		"",
		"whsec_",
		Buffer.alloc(24, 1).toString("base64"),
		`WHSEC_${Buffer.alloc(24, 1).toString("base64")}`,
		`whsec_${Buffer.alloc(15, 1).toString("base64")}`,
		`whsec_${Buffer.alloc(65, 1).toString("base64")}`,
		// Node's decoder would take both, and make another key of the first.
		`whsec_${"!".repeat(8)}${Buffer.alloc(24, 1).toString("base64")}`,
		`whsec_${Buffer.alloc(24, 0xfb).toString("base64url")}`,
		`whsec_${Buffer.alloc(24, 1).toString("base64")}\n`,
		"sk_a-secret-of-another-service",
	];
	for (const text of odd) {
		test(`${JSON.stringify(text)} is refused as a secret at the start, before the first webhook`, () => {
			expect(readWebhookSecret(text)).toBeNull();
		});
	}
});

describe("verifyWebhook", () => {
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
		test(`the published test vector ${one.id} is valid at its time`, () => {
			const offMs = (Number(one.timestamp) - Number(vector.timestamp)) * 1_000;
			expect(verdict(one, offMs)).toBe(one.id);
		});
	}

	describe("a signature", () => {
		test("a signature is valid for one body, id, time and secret only", () => {
			expect(verdict({ body: vector.body.replace("true", "false") })).toBe(SIGNATURE);
			expect(verdict({ body: `${vector.body} ` })).toBe(SIGNATURE);
			expect(verdict({ body: "" })).toBe(SIGNATURE);
			expect(verdict({ id: "msg_another" })).toBe(SIGNATURE);
			expect(verdict({ timestamp: String(Number(vector.timestamp) + 1) })).toBe(SIGNATURE);
			expect(verdict({ secret: published[1].secret })).toBe(SIGNATURE);
		});

		test("a valid signature is accepted at any place in a list of others", () => {
			const { signature } = vector;
			const wrong = `v1,${Buffer.alloc(32, 1).toString("base64")}`;
			expect(verdict({ signature: `${wrong} ${signature}` })).toBe(vector.id);
			expect(verdict({ signature: `v1a,abc ${signature} v2,x` })).toBe(vector.id);
			expect(verdict({ signature: `${wrong} ${wrong}` })).toBe(SIGNATURE);
			expect(verdict({ signature: signature.replace("v1,", "v2,") })).toBe(SIGNATURE);
			expect(verdict({ signature: signature.replace("v1,", "") })).toBe(SIGNATURE);
		});

		test("at most eight signatures of a list are checked", () => {
			const seven = Array.from({ length: 7 }, () => "v1,x").join(" ");
			expect(verdict({ signature: `${seven} ${vector.signature}` })).toBe(vector.id);
			expect(verdict({ signature: `${seven} v1,x ${vector.signature}` })).toBe(HEADERS);
			expect(verdict({ signature: "v1,".padEnd(1_025, "x") })).toBe(HEADERS);
		});

		test("a signature in another form or length is invalid, and gives no error", () => {
			const hex = Buffer.from(vector.signature.slice(3), "base64").toString("hex");
			const url = vector.signature.replaceAll("+", "-").replaceAll("/", "_");
			for (const signature of [`v1,${hex}`, url, vector.signature.slice(0, -1), "v1,", ",", "é"]) {
				expect([signature, verdict({ signature })]).toEqual([signature, SIGNATURE]);
			}
		});

		test("a signature with any changed bit is wrong", () => {
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

	test("a webhook's time may differ by at most five minutes in each direction", () => {
		for (const sign of [1, -1]) {
			expect(verdict({}, sign * 300_000)).toBe(vector.id);
			expect(verdict({}, sign * 300_001)).toBe(TIME);
		}
		// An old one is refused for its age, however right it was.
		expect(verdict({}, 86_400_000)).toBe(TIME);
	});

	test("missing or malformed headers are refused before signatures are compared", () => {
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
});
