import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createCustodyFaultList } from "./CustodyFault.ts";
import type { Postbox } from "./CustodyOffice.ts";
import type { StoredTransaction } from "./createCustodyStore.ts";
import { createPostbox, signWebhook } from "./createPostbox.ts";

describe("createPostbox", () => {
	// Guarantee: webhooks arrive as from the real provider, and fail as ordered.

	type Received = { id: string; timestamp: string; signature: string; body: string };
	const received: Received[] = [];
	const answers: number[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const header = (name: string) => request.headers.get(`svix-${name}`) ?? "";
			const [id, timestamp, signature] = [header("id"), header("timestamp"), header("signature")];
			received.push({ id, timestamp, signature, body: await request.text() });
			return new Response("said", { status: answers.shift() ?? 200 });
		},
	});
	const stopping = new AbortController();
	afterAll(() => server.stop(true));

	const clock = { ms: 0, nowMs: () => clock.ms };
	const faults = createCustodyFaultList();
	const late: Promise<void>[] = [];
	let postbox: Postbox;

	beforeEach(() => {
		received.length = 0;
		answers.length = 0;
		late.length = 0;
		faults.clear();
		clock.ms = 1_700_000_000_000;
		postbox = createPostbox({
			clock,
			faults,
			stopped: stopping.signal,
			later: (work) => void late.push(work()),
		});
		postbox.sendTo(server.url.href);
	});

	const about: StoredTransaction = {
		id: "t1",
		referenceId: "r1",
		walletId: "w1",
		caip2: "eip155:31337",
		sender: "0x1",
		nonce: 0,
		hash: "0xabc",
		status: "broadcasted",
		createdAtMs: 0,
		broadcasts: 1,
	};
	const types = () => received.map(({ body }) => JSON.parse(body).type);

	function isSigned({ id, timestamp, signature, body }: Received): boolean {
		const key = Buffer.from(postbox.secret.replace("whsec_", ""), "base64");
		const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
		return signature === `v1,${mac.digest("base64")}`;
	}

	test("an event is sent in the provider's format, signed", async () => {
		await postbox.tell("confirmed", about);
		expect(received.map(isSigned)).toEqual([true]);
		expect(received[0]?.timestamp).toBe("1700000000");
		expect(JSON.parse(received[0]?.body ?? "")).toEqual({
			type: "transaction.confirmed",
			caip2: "eip155:31337",
			transaction_hash: "0xabc",
			transaction_id: "t1",
			wallet_id: "w1",
			reference_id: "r1",
		});
		expect(postbox.attempts()).toMatchObject([{ status: 200, answer: "said" }]);
	});

	test("no webhook is sent before a receiver is set", async () => {
		postbox.sendTo(null);
		await postbox.tell("confirmed", about);
		expect(received).toEqual([]);
		expect(postbox.attempts()).toEqual([]);
	});

	test("a refused event is sent again with the same id, and a new signature", async () => {
		answers.push(500);
		const told = postbox.tell("confirmed", about);
		clock.ms += 60_000;
		await told;
		expect(received).toHaveLength(2);
		expect(received.every(isSigned)).toBe(true);
		expect(new Set(received.map(({ id }) => id)).size).toBe(1);
		expect(received[1]?.timestamp).toBe("1700000060");
	});

	describe("requested webhook faults", () => {
		async function tell(kind: Parameters<typeof faults.add>[0]["kind"], more = {}) {
			faults.add({ kind, path: "confirmed", times: 1, delayMs: 1, ...more });
			await postbox.tell("confirmed", about);
		}

		test("webhook_never: no event of that kind is sent, and every other one is", async () => {
			await tell("webhook_never");
			expect(received).toEqual([]);
			faults.add({ kind: "webhook_never", path: "confirmed" });
			await postbox.tell("broadcasted", about);
			expect(types()).toEqual(["transaction.broadcasted"]);
		});

		test("webhook_late: the event is sent after its sender has continued", async () => {
			await tell("webhook_late", { delayMs: 30 });
			expect(received).toEqual([]);
			await Promise.all(late);
			expect(received.map(isSigned)).toEqual([true]);
		});

		test("webhook_twice: two events with one id are sent simultaneously", async () => {
			await tell("webhook_twice");
			expect(received.map(isSigned)).toEqual([true, true]);
			expect(new Set(received.map(({ id }) => id)).size).toBe(1);
		});

		test("webhook_replay: the same bytes are sent once more, with the old signature", async () => {
			const told = tell("webhook_replay");
			clock.ms += 600_000;
			await told;
			await Promise.all(late);
			expect(received).toHaveLength(2);
			expect(received[1]).toEqual(received[0] as Received);
		});

		test("webhook_swapped: the event is sent after the next one of its transaction", async () => {
			await tell("webhook_swapped");
			expect(received).toEqual([]);
			await postbox.tell("finalized", { ...about, id: "another" });
			await postbox.tell("replaced", about);
			expect(types()).toEqual([
				"transaction.finalized",
				"transaction.replaced",
				"transaction.confirmed",
			]);
		});

		test("webhook_forged: the event is signed with a wrong secret", async () => {
			await tell("webhook_forged");
			expect(received.map(isSigned)).toEqual([false]);
			expect(received[0]?.signature).toStartWith("v1,");
		});

		test("webhook_lie: the event is correctly signed, but false", async () => {
			await tell("webhook_lie");
			await tell("webhook_lie", { says: "replaced" });
			expect(types()).toEqual(["transaction.failed", "transaction.replaced"]);
			expect(received.every(isSigned)).toBe(true);
		});

		test("faults of webhooks do not affect calls, and those of calls no webhooks", async () => {
			faults.add({ kind: "status" });
			faults.add({ kind: "webhook_never" });
			expect(faults.take("POST /v1/wallets/x/rpc")?.kind).toBe("status");
			expect(faults.takeWebhook("WEBHOOK transaction.confirmed")?.kind).toBe("webhook_never");
			faults.clear();
			faults.add({ kind: "webhook_never" });
			expect(faults.take("GET /v1/transactions/x")).toBeNull();
			faults.clear();
			faults.add({ kind: "status" });
			await postbox.tell("confirmed", about);
			expect(received).toHaveLength(1);
		});
	});
});

describe("signWebhook", () => {
	test("a signature equals the example in Svix's documentation", () => {
		const headers = signWebhook("whsec_plJ3nmyCDGBKInavdOK15jsl", {
			id: "msg_loFOjxBNrRLzqYUf",
			nowMs: 1_731_705_121_999,
			body: '{"event_type":"ping","data":{"success":true}}',
		});
		expect(headers).toEqual({
			"svix-id": "msg_loFOjxBNrRLzqYUf",
			"svix-timestamp": "1731705121",
			"svix-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
		});
	});
});
