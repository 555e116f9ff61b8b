// Measures bridges, and prints one JSON line: how long a thousand open ones wait for their turn,
// how soon a webhook's news is in the record, and how long a command takes to a stored quote.

import { z } from "zod";
import { POLLS_PER_MINUTE } from "#plugins/bridge/relay/createRelayClient.ts";
import { createPollingLab } from "#plugins/bridge/testing/createPollingLab.ts";
import { type BridgeLab, openBridgeLab } from "#test/harness/openBridgeLab.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { signBridgeWebhook } from "#test/sandbox/bridge/answerBridge.ts";
import { sendAsSolver } from "#test/sandbox/bridge/BridgeWorld.ts";

const OPEN = 1_000;
const WARM = 5;
const QUOTES = 60;
const TOLD = 30;
const PATH = "/v1/bridges/intents";
const COMMAND = "bridge 0.01 eth from anvil to robinhood";
const SOMEBODY = `0x${"a1".repeat(20)}`;
const COIN = `0x${"0".repeat(40)}`;
const stateRow = z.object({ status: z.string() });

const polls = await measurePolls();
const lab = await openBridgeLab({ env: { TRADING_DAILY_USD_MAX: "1000000" } });
await lab.enrol();
const webhookMs = await measureWebhooks(lab);
const { commandMs, providerMs } = await measureQuotes(lab);
process.stdout.write(`${JSON.stringify({ polls, webhookMs, commandMs, providerMs })}\n`);
process.exit(0);

/** Measures polls on a clock of its own: the order is measured, and not the machine. */
async function measurePolls() {
	const database = await createTestDatabase();
	const polling = createPollingLab(database.db);
	await polling.insertOpen(OPEN);
	const turnMs = (OPEN / POLLS_PER_MINUTE) * 60_000;
	await polling.passSeconds(Math.ceil((2.2 * turnMs) / 1_000));
	const waits = polling.waits(OPEN);
	await database.drop();
	return { open: OPEN, turnMs, slowestMs: Math.max(...waits) };
}

/**
 * Measures from a webhook's post to the record's `success`: the provider asked, the chain read, the
 * row.
 */
async function measureWebhooks({ ask, bridge, home, service, reached }: BridgeLab) {
	const db = service.core.db;
	const delays: number[] = [];
	await untilPriced(async () => (await ask(PATH, { command: COMMAND })).body.errorCode === null);
	bridge.fault({ kind: "fill_never" });
	const begun: any[] = [];
	for (let turn = 0; turn < WARM + TOLD; turn++) {
		begun.push((await ask(PATH, { command: COMMAND })).body);
	}
	for (const { id } of begun) await reached(id, ["pending"]);
	// Scheduled looks are off: a change comes from the webhook.
	await db.execute("update bridge.bridge set look_at = now() + interval '1 hour'");
	for (const [turn, body] of begun.entries()) {
		const entry = bridge.ledger().find((one) => one.requestId === body.quote.requestId);
		const chain = bridge.chains.find(({ id }) => id === 4_663);
		if (!entry || !chain) throw new Error("the bridge's books have it");
		const { raw } = entry.destination;
		const hash = await sendAsSolver(chain.rpc, { to: entry.recipient, value: raw });
		await home.mined();
		const fill = { chainId: 4_663, hash, currency: entry.destination.currency.address, raw };
		entry.fill = { ...fill, party: entry.recipient };
		entry.status = "success";
		const data = { requestId: entry.requestId, status: "success" };
		const event = { event: "request.status.updated", timestamp: Date.now(), data };
		const text = JSON.stringify(event);
		const headers = signBridgeWebhook(bridge.apiKey, text, event.timestamp);
		const began = performance.now();
		const told = fetch(`${service.url}/v1/bridgeprovider/webhook`, {
			...{ method: "POST", headers, body: text },
		});
		for (;;) {
			const sql = "select status from bridge.bridge where id = $1";
			const [row] = await db.query<{ status: string }>(sql, [body.id]);
			if (stateRow.parse(row).status === "success") break;
		}
		if (turn >= WARM) delays.push(performance.now() - began);
		await told;
	}
	return delays;
}

/**
 * Measures from a command to its stored quote, without sending; and the provider's part of it, by
 * itself.
 */
async function measureQuotes({ ask, bridge, restart }: BridgeLab) {
	await restart({ BRIDGE_DRY_RUN: "true" });
	const request = {
		...{ user: SOMEBODY, recipient: SOMEBODY, refundTo: SOMEBODY, tradeType: "EXACT_INPUT" },
		...{ originChainId: 31_337, destinationChainId: 4_663, amount: "10000000000000000" },
		...{ originCurrency: COIN, destinationCurrency: COIN, includeProtocolData: true },
	};
	const commandMs: number[] = [];
	const providerMs: number[] = [];
	for (let turn = 0; turn < WARM + QUOTES; turn++) {
		const began = performance.now();
		const { body } = await ask(PATH, { command: COMMAND });
		const ended = performance.now();
		if (body.status !== "quoted") throw new Error(`not quoted: ${body.errorCode}`);
		const answer = await fetch(`${bridge.url}/quote/v2`, {
			...{ method: "POST", body: JSON.stringify(request) },
			headers: { "content-type": "application/json", "x-api-key": bridge.apiKey },
		});
		await answer.json();
		if (turn < WARM) continue;
		commandMs.push(ended - began);
		providerMs.push(performance.now() - ended);
		// The provider's own pace, ten a second, does not count.
		await Bun.sleep(120);
	}
	return { commandMs, providerMs };
}

async function untilPriced(isPriced: () => Promise<boolean>): Promise<void> {
	while (!(await isPriced())) await Bun.sleep(200);
}
