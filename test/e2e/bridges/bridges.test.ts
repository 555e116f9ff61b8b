import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BridgeLab, openBridgeLab, USDG } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: what a bridge says of its money is what both chains, and the provider's books, say.

const PATH = "/v1/bridges/intents";
const ETHER = 10n ** 18n;
const COMMAND = "bridge 0.5 eth from anvil to robinhood as USDG";

let lab: BridgeLab;
let wallet: { id: string; address: string };

beforeAll(async () => {
	lab = await openBridgeLab();
	wallet = await lab.enrol();
	await until(async () => {
		const { body } = await lab.ask("/v1/agent/command", { text: "balance on anvil" });
		return body.data?.balances?.[0]?.usd !== null;
	}, "prices are known");
});
afterAll(() => lab?.stop());
beforeEach(() => lab.bridge.clearFaults());

const entryOf = (requestId: string) =>
	lab.bridge.ledger().find((one) => one.requestId === requestId);

test("a command becomes a stored quote, a deposit, and money on the other chain", async () => {
	const before = await lab.dollars(wallet.address);
	const { status, body } = await lab.ask(PATH, { command: COMMAND });
	expect({ status, code: body.errorCode, at: body.status }).toEqual({
		...{ status: 201, code: null, at: "executing" },
	});
	expect(body).toMatchObject({
		...{ amountRaw: String(ETHER / 2n), recipient: wallet.address, refundTo: wallet.address },
		origin: { chain: "anvil", symbol: "ETH" },
		destination: { chain: "robinhood", currency: USDG, decimals: 6 },
		quote: { expectedOutRaw: "998000000" },
	});
	expect(body.steps).toHaveLength(1);
	const done = await lab.reached(body.id, ["success"]);
	expect(done.arrived).toMatchObject({
		...{ verified: true, chainId: 4_663, amountRaw: "998000000", currency: USDG },
	});
	expect(await lab.dollars(wallet.address)).toBe(before + 998_000_000n);
	const entry = entryOf(done.quote.requestId);
	expect(entry?.deposits).toMatchObject([{ hash: done.depositHash, raw: ETHER / 2n }]);
	expect(entry?.fill?.hash).toBe(done.arrived.transactionHash);
});
