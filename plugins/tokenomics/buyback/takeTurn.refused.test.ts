import { afterAll, beforeAll, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";
import { type BurnChain, openBurnChain } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: where something is not as it should be, a turn says why by a code, records no intent,
// and moves nothing.

const ETHER = 10n ** 18n;

let database: TestDatabase;
let chain: BurnChain;
let position: bigint;
const clock = { ms: 0 };
beforeAll(async () => {
	[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
	const { weth, token } = chain.addresses;
	const opened = { in: 400n * ETHER, out: 10_000_000n * ETHER };
	({ position } = await chain.openPool({
		tokenIn: weth,
		token,
		fee: 3000,
		...opened,
		observations: 1,
	}));
	await chain.earn(ETHER);
});
afterAll(async () => {
	await chain?.anvil.stop();
	await database?.drop();
});

const open = (env: Record<string, unknown> = {}): BuybackLab =>
	openBuybackLab({ db: database.db, chain, env, clock });

/** One turn of a lab in a new slot: what it says, and that nothing moved by it. */
async function refusalOf(lab: BuybackLab): Promise<string> {
	await lab.nextSlot();
	const [nonce, intents] = [await chain.nonce(chain.who.keeper), await lab.intents()];
	const turn = await lab.run();
	if (turn.kind !== "refused") throw new Error(`it ${turn.kind}`);
	expect(await chain.nonce(chain.who.keeper)).toBe(nonce);
	expect(await lab.intents()).toEqual(intents);
	expect(await lab.status()).toMatchObject({
		code: lab.config.BUYBACK_ENABLED ? turn.refusal.code : "disabled",
	});
	expect(lab.counted).toEqual([turn.refusal.code]);
	return turn.refusal.code;
}

test("a pool that is younger than the time that is averaged is not bought through", async () => {
	expect(await refusalOf(open({ BUYBACK_TWAP_SECONDS: 86_000 }))).toBe("observations_few");
	await chain.pass(2_000);
});

test.each([
	["disabled", { env: { BUYBACK_ENABLED: false } }],
	["no_wallet", { env: { BUYBACK_WALLET_ID: undefined } }],
	[
		"no_wallet",
		{
			arrange(lab: BuybackLab) {
				lab.state.isDelegated = false;
			},
		},
	],
	[
		"token_not_launched",
		{
			arrange(lab: BuybackLab) {
				lab.state.contracts = null;
			},
		},
	],
	[
		"contracts_missing",
		{
			arrange(lab: BuybackLab) {
				lab.state.contracts = { token: chain.addresses.token, router: null, burner: null };
			},
		},
	],
	[
		"contracts_unreadable",
		{
			arrange(lab: BuybackLab) {
				const { token, router, usd } = chain.addresses;
				lab.state.contracts = { token, router, burner: usd };
			},
		},
	],
	[
		"token_differs",
		{
			arrange(lab: BuybackLab) {
				const { usd: token, router, burner } = chain.addresses;
				lab.state.contracts = { token, router, burner };
			},
		},
	],
	["no_pool", { env: { BUYBACK_FEE_TIERS: "100,500" } }],
	["day_limit", { env: { BUYBACK_DAY_USD_MAX: 1 } }],
	["nothing_to_spend", { env: { BUYBACK_RUN_USD_MIN: 600, BUYBACK_RUN_USD_MAX: 900 } }],
	["pool_thin", { env: { BUYBACK_DEPTH_BPS_MAX: 1, BUYBACK_RUN_USD_MIN: 150 } }],
	["price_impact", { env: { BUYBACK_IMPACT_BPS_MAX: 1 } }],
	[
		"no_price",
		{
			arrange(lab: BuybackLab) {
				lab.turnDeps.prices.usdRate = () => null;
			},
		},
	],
	[
		"chain_unavailable",
		{
			arrange(lab: BuybackLab) {
				lab.state.settle = async () => {
					throw rpcFault.transport();
				};
			},
		},
	],
] as const)("a turn says %s, and nothing moves", async (code, given) => {
	const lab = open("env" in given ? given.env : {});
	if ("arrange" in given) given.arrange(lab);
	expect(await refusalOf(lab)).toBe(code);
});

test("a turn that fails by our own mistake says so, and nothing moves", async () => {
	const lab = open();
	lab.turnDeps.contractsNow = async () => {
		throw new TypeError("a mistake");
	};
	await lab.nextSlot();
	await expect(lab.turn()).rejects.toThrow("a mistake");
	expect(await lab.status()).toMatchObject({ code: "turn_failed", lastRun: null });
	expect(lab.counted).toEqual(["turn_failed"]);
});

test("a burn's share that is paid to somebody else is not released", async () => {
	await chain.setPayee(chain.who.searcher);
	expect(await refusalOf(open())).toBe("payee_differs");
	await chain.setPayee(chain.who.keeper);
});

test("a burner that obeys somebody else is not called", async () => {
	const lab = open();
	const { token, router } = chain.addresses;
	const burner = await chain.burnerOf(token, chain.who.searcher);
	lab.state.contracts = { token, router, burner };
	expect(await refusalOf(lab)).toBe("keeper_differs");
});

test("a keeper without gas sends nothing", async () => {
	await chain.setBalance(chain.who.keeper, 1_000n);
	await chain.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [
		`0x${(300n * 10n ** 9n).toString(16)}`,
	]);
	await chain.anvil.rpc("anvil_mine", ["0x1"]);
	expect(await refusalOf(open())).toBe("keeper_without_gas");
	await chain.setBalance(chain.who.keeper, ETHER / 20n);
	await chain.anvil.rpc("anvil_mine", ["0x64"]);
});

test("a keeper without gas for a token's revenue sends nothing either", async () => {
	const { usd, token } = chain.addresses;
	const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
	await chain.openPool({ tokenIn: usd, token, fee: 3000, ...dollars });
	await chain.earn(1_000n * ETHER, usd);
	await chain.pass(2_000);
	await chain.setBalance(chain.who.keeper, 1_000n);
	expect(await refusalOf(open({ BUYBACK_CURRENCIES: usd }))).toBe("keeper_without_gas");
	await chain.setBalance(chain.who.keeper, ETHER / 20n);
});

test.each(["kill:all", "kill:chain:4663", "kill:plugin:tokenomics"])(
	"what an operator switched off by %s records nothing",
	async (key) => {
		const at = new Date();
		await database.db.execute(
			`insert into wallets.control (key, value, changed_at, changed_by)
			values ($1, 'true', $2, 'test')`,
			[key, at],
		);
		expect(await refusalOf(open())).toBe("trading_disabled");
		await database.db.execute("delete from wallets.control where key = $1", [key]);
	},
);

test("a price that was moved away from its average stops the run, in both directions", async () => {
	const { weth, token } = chain.addresses;
	await chain.keepObservations(weth, 100);
	for (const bought of [true, false]) {
		await chain.pass(4_000);
		// The searcher has none of the token before the first.
		const swap = bought
			? { tokenIn: weth, tokenOut: token, fee: 3000, raw: 6n * ETHER }
			: { tokenIn: token, tokenOut: weth, fee: 3000, raw: 140_000n * ETHER };
		await chain.swap(swap);
		expect(await refusalOf(open({ BUYBACK_CURRENCIES: ZERO_ADDRESS }))).toBe("price_moved");
	}
	await chain.pass(4_000);
});

test("quotes that are too far apart stop the run", async () => {
	const lab = open({ BUYBACK_CURRENCIES: ZERO_ADDRESS });
	const { quoter } = chain.addresses;
	const real = lab.turnDeps.rpc.settle;
	// The quoter of a node that lies says a hundredth more.
	lab.state.settle = null;
	lab.turnDeps.rpc.settle = async (calls, options) => {
		const outcomes = await real(calls, options);
		return outcomes.map((outcome, at) => {
			const [asked] = calls[at]?.params ?? [];
			const isQuote =
				(asked as { to?: string; data?: string })?.to === quoter &&
				(asked as { data?: string }).data?.startsWith("0xc6a5026a");
			if (!isQuote || outcome.kind !== "result") return outcome;
			const told = String(outcome.result);
			const raw = (BigInt(told.slice(0, 66)) * 101n) / 100n;
			return { kind: "result", result: `0x${raw.toString(16).padStart(64, "0")}${told.slice(66)}` };
		});
	};
	expect(await refusalOf(lab)).toBe("quotes_disagree");
});

test("revenue that no pool trades is left, and is said to be", async () => {
	const lab = open({ BUYBACK_CURRENCIES: chain.addresses.usd, BUYBACK_FEE_TIERS: "500" });
	expect(await refusalOf(lab)).toBe("no_pool");
	expect((await lab.status()).left).toMatchObject([
		{ currency: chain.addresses.usd, code: "no_pool", raw: String(200n * ETHER) },
	]);
});

test("revenue in a currency that is not named is left, and is said to be", async () => {
	const { usd: currency, router: contract } = chain.addresses;
	const row = { entries: 1, burned: 0n, firstBlock: 1, lastBlock: 1, lastAt: new Date(0) };
	await database.db.transaction((tx) =>
		totals.add(tx, { chainId: 4663, contract }, [
			{ ...totalKey("revenue", { currency }), ...row, amount: 100n },
			{ ...totalKey("earned", { currency, bucket: 2 }), ...row, amount: 20n },
			{ ...totalKey("share_paid", { currency, bucket: 2 }), ...row, amount: 5n },
		]),
	);
	const lab = open({ BUYBACK_CURRENCIES: ZERO_ADDRESS, BUYBACK_FEE_TIERS: "500" });
	expect(await refusalOf(lab)).toBe("no_pool");
	expect((await lab.status()).left).toMatchObject([
		{ currency, code: "currency_not_named", raw: "15" },
		// What the keeper has for gas is none of it.
		{ currency: ZERO_ADDRESS, code: "no_pool", raw: String(ETHER / 5n) },
	]);
});

test("an emptied pool stops the run", async () => {
	await chain.emptyPool(position);
	expect(await refusalOf(open({ BUYBACK_CURRENCIES: ZERO_ADDRESS }))).toBe("pool_empty");
});
