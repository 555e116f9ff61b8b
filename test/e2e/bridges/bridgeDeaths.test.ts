import { afterAll, beforeAll, expect, test } from "bun:test";
import { encodeFunctionData } from "viem";
import { bridgeSteps } from "#plugins/bridge/bridgeConfig.ts";
import { type BridgeLab, openBridgeLab, USDG } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: wherever a process ends between a request and an arrival, what goes on after it by
// what is stored makes of it one allowance, one deposit and one arrival.

const PATH = "/v1/bridges/intents";
/**
 * Between a decision and what is known of its payment: one that dies there could pay twice. At the
 * payment's own steps processes die in `killedBridges`, where what was never sent is an end too.
 */
const FIRST = ["bridge.allowance", "bridge.sync", "bridge.look"];
const ALL = ["bridge.allowance", ...bridgeSteps.filter((step) => step !== "bridge.close")];
const STEPS = process.env["PROVE"] === "1" ? ALL : FIRST;
const EDGES = STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]);
/** What comes only once something of it is in a block. */
const AFTER_BLOCK = /status|look/;
let lab: BridgeLab;
let wallet: string;
let armed: string | null = null;
let isGone = false;

beforeAll(async () => {
	lab = await openBridgeLab({
		async observeSteps(step, edge) {
			if (armed === `${step}:${edge}`) isGone = true;
			if (isGone) throw new Error("the process is gone");
		},
	});
	wallet = (await lab.enrol()).address;
	const data = encodeFunctionData({
		...{ abi: dollarAbi, functionName: "mint" as const },
		args: [wallet as `0x${string}`, 10_000_000_000n],
	});
	const [from] = await lab.home.rpc<string[]>("eth_accounts");
	await lab.home.rpc("eth_sendTransaction", [{ from, to: USDG, data }]);
	await lab.home.mined();
});
afterAll(() => lab?.stop());

const nonce = async () =>
	Number(await lab.home.rpc<string>("eth_getTransactionCount", [wallet, "latest"]));

const bridges = () =>
	lab.service.core.db.query<{ id: string }>("select id from bridge.bridge order by id desc");

test.each(EDGES)(
	"a process that ends at %s loses nothing and sends nothing twice",
	async (edge) => {
		const [held, sent] = [await lab.dollars(wallet), await nonce()];
		const quoted = lab.bridge.ledger().length;
		const before = (await bridges()).length;
		const body = { amount: "5", currency: "USDG", from: "robinhood", to: "anvil", as: "ETH" };
		// Where no block is needed none comes, and no job runs: else somebody may be between a decision
		// and its payment, which is then given up as never sent.
		const isEarly = !AFTER_BLOCK.test(edge);
		if (isEarly) await lab.home.rpc("evm_setAutomine", [false]);
		armed = edge;
		const asked = lab.ask(PATH, body).catch(() => null);
		if (isEarly) await until(() => isGone, `it comes by ${edge}`);
		else await lab.stopped(() => isGone, edge);
		await asked;
		await lab.home.rpc("evm_setAutomine", [true]);
		await lab.home.rpc("evm_mine");
		// The jobs go on with what is stored, and nothing else.
		armed = null;
		isGone = false;
		const [newest, ...older] = await bridges();
		expect(older).toHaveLength(before);
		// A look that fails by itself is put off for a while; a process that is gone puts off nothing.
		await lab.service.core.db.execute(
			"update bridge.bridge set look_at = least(look_at, now()) where id = $1",
			[newest?.id ?? ""],
		);
		const done = await lab.reached(newest?.id ?? "", ["success", "rejected", "failure"]);
		expect([edge, done.status, done.errorCode]).toEqual([edge, "success", null]);
		const entries = lab.bridge.ledger().slice(quoted);
		const deposits = entries.flatMap((entry) => entry.deposits);
		expect(deposits).toMatchObject([{ hash: done.depositHash, raw: 5_000_000n }]);
		expect(held - (await lab.dollars(wallet))).toBe(5_000_000n);
		expect((await nonce()) - sent).toBe(2);
	},
);
