import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeAbiParameters, type Hex, toHex } from "viem";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { purchaseSteps, releaseSteps, turnSteps } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";
import { type BurnChain, openBurnChain, type Swap } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("a buyback whose process ends", () => {
	// Guarantee: wherever a process ends in a run, the next one finds out what became of it and goes
	// on; what revenue earned for burning is spent once, and the spend ledger holds what was spent.

	const ETHER = 10n ** 18n;

	let database: TestDatabase;
	let chain: BurnChain;
	const shared = { clock: { ms: 0 }, traces: new Map() };
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		const { token, usd } = chain.addresses;
		const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: usd, token, fee: 3000, ...dollars, observations: 300 });
		await chain.pass(4_000);
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	const STEPS = [
		...turnSteps,
		...purchaseSteps,
		...releaseSteps,
		...(["commit.first", "allowance.read", "commit.decide", "custody.send"] as const),
	];
	const EARNED = 20n * ETHER;

	const open = (more: Partial<Parameters<typeof openBuybackLab>[0]> = {}) =>
		openBuybackLab({ db: database.db, chain, ...shared, ...more });

	let deaths = 0;

	/**
	 * A process that is gone at the first time it comes by this edge: from then on it does nothing.
	 */
	function mortal(at: string): BuybackLab & { hasDied(): boolean } {
		let isDead = false;
		deaths += 1;
		const lab = open({
			session: `gone ${deaths}`,
			async observe(step, edge) {
				isDead ||= `${step}:${edge}` === at;
				if (isDead) throw new Error("the process is gone");
			},
		});
		return { ...lab, hasDied: () => isDead };
	}

	const spentIn = async () => (await chain.burns()).reduce((sum, { spent }) => sum + spent, 0n);

	test.each(STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]))(
		"a run whose process ends at %s is finished or begun again, once",
		async (edge) => {
			const before = await spentIn();
			await chain.earn(5n * EARNED, chain.addresses.usd);
			const first = mortal(edge);
			await first.nextSlot();
			await first.turn().catch(() => null);
			for (let turn = 0; turn < 12 && !first.hasDied(); turn++) {
				await first.tick(10).catch(() => null);
			}
			expect(first.hasDied()).toBe(true);
			const second = open();
			await second.tick(31);
			await second.settled();
			const once = (await spentIn()) - before;
			expect([0n, EARNED]).toContain(once);
			await second.nextSlot();
			expect((await second.run()).kind).toBe(once === 0n ? "began" : "refused");
			expect((await spentIn()) - before).toBe(EARNED);
			const held = (await second.held()).reduce((sum, { raw }) => sum + raw, 0n);
			expect(held).toBe(await spentIn());
			expect(await chain.balance(chain.addresses.usd, chain.who.keeper)).toBe(0n);
		},
	);

	test("a purchase with an unknown outcome blocks the next run, and is not repeated", async () => {
		const before = (await chain.burns()).length;
		await chain.earn(5n * EARNED, chain.addresses.usd);
		const lab = open();
		await lab.nextSlot();
		lab.state.afterSend = async () => {
			const isPurchase = lab.sent.at(-1)?.to === chain.addresses.burner;
			lab.state.answer = isPurchase ? { kind: "unknown", detail: "a time-out" } : null;
		};
		await lab.turn();
		for (let turn = 0; turn < 12 && lab.state.answer === null; turn++) await lab.tick();
		expect((await lab.intents()).at(-1)).toBeDefined();
		await chain.earn(5n * EARNED, chain.addresses.usd);
		await lab.nextSlot();
		const turn = await lab.turn();
		expect(turn).toMatchObject({ kind: "refused", refusal: { code: "previous_uncertain" } });
		expect((await lab.status()).code).toBe("previous_uncertain");
		lab.state.afterSend = async () => {};
		lab.state.answer = null;
		await lab.settled();
		expect(await chain.burns()).toHaveLength(before + 1);
		await lab.nextSlot();
		expect((await lab.run()).kind).toBe("began");
		expect(await chain.burns()).toHaveLength(before + 2);
	});
});

describe("a buyback whose blocks leave the chain", () => {
	// Guarantee: a run that no node has any more ends by itself: its nonce is used for nothing, what
	// it held is given back, and a later run spends it, once.

	const ETHER = 10n ** 18n;

	let database: TestDatabase;
	let chain: BurnChain;
	let lab: BuybackLab;
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		const { token, usd } = chain.addresses;
		const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: usd, token, fee: 3000, ...dollars, observations: 300 });
		await chain.pass(4_000);
		const env = { BUYBACK_CURRENCIES: chain.addresses.usd };
		lab = openBuybackLab({ db: database.db, chain, env, finalDepthBlocks: 300 });
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	/** Takes turns until a run begins; returns what the turns before it said. */
	async function nextRun(): Promise<string[]> {
		const codes: string[] = [];
		for (let slot = 0; slot < 6; slot++) {
			await lab.nextSlot();
			const turn = await lab.turn();
			if (turn.kind === "began") return codes;
			codes.push(turn.kind === "refused" ? turn.refusal.code : turn.kind);
			// What took its nonce is final after as many blocks as the run itself would be.
			await chain.anvil.rpc("anvil_mine", ["0x78"]);
			for (let tick = 0; tick < 4; tick++) await lab.tick(70);
		}
		throw new Error(`no run begins: ${codes}`);
	}

	test("a rollback of 120 blocks undoes the run, and the next run spends its money", async () => {
		await chain.earn(100n * ETHER, chain.addresses.usd);
		expect(await nextRun()).toEqual([]);
		await lab.settled();
		expect(await chain.burns()).toHaveLength(1);
		await chain.anvil.rpc("anvil_mine", ["0x5a"]);
		expect((await chain.reorg(120)).length).toBeGreaterThan(0);
		expect(await chain.burns()).toEqual([]);
		// The node's time went back with its blocks.
		await chain.pass(Math.ceil((lab.clock.ms - (await chain.timeMs())) / 1_000));
		const status = async () => (await lab.held())[0]?.status ?? "";
		for (let tick = 0; tick < 8 && (await status()) === "confirmed"; tick++) await lab.tick(70);
		expect(["submitted", "uncertain"]).toContain(await status());
		expect(await nextRun()).toContain("previous_taken_back");
		await lab.settled();
		const [first, second] = await lab.held();
		expect(first).toMatchObject({ errorCode: "cancelled", raw: 0n });
		expect(second).toMatchObject({ status: "confirmed", raw: 20n * ETHER });
		expect((await chain.burns()).map(({ spent }) => spent)).toEqual([20n * ETHER]);
		expect(await lab.status()).toMatchObject({ code: null });
	});
});

describe("a purchase that leaves the chain after it was final", () => {
	// Guarantee: what is not on the chain any more stops every further run, with an alarm that says
	// what to do; named as gone it is spent anew, and one that is mined again is spent once.

	const ETHER = 10n ** 18n;
	const SHARE = 20n * ETHER;

	let database: TestDatabase;
	let chain: BurnChain;
	const clock = { ms: 0 };
	const traces = new Map();
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		const { token, usd } = chain.addresses;
		const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: usd, token, fee: 3000, ...dollars, observations: 300 });
		await chain.pass(4_000);
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	const open = (env: Record<string, unknown> = {}): BuybackLab =>
		openBuybackLab({
			...{ db: database.db, chain, clock, traces },
			env: { BUYBACK_CURRENCIES: chain.addresses.usd, ...env },
		});

	/** Turns of slots until one begins a run, or so many were refused; returns what they said. */
	async function turns(lab: BuybackLab, count: number): Promise<string[]> {
		const codes: string[] = [];
		for (let slot = 0; slot < count; slot++) {
			await lab.nextSlot();
			const turn = await lab.run();
			codes.push(turn.kind === "refused" ? turn.refusal.code : turn.kind);
			if (turn.kind === "began") break;
		}
		return codes;
	}

	test("a rollback beyond the final depth stops buying with an alarm, until an operator acknowledges it", async () => {
		const lab = open();
		await chain.earn(5n * SHARE, chain.addresses.usd);
		expect(await turns(lab, 1)).toEqual(["began"]);
		for (let tick = 0; tick < 4; tick++) await lab.tick(120);
		const bought = (await lab.intents()).find(({ kind }) => kind === "buyback");
		const [{ hash = "" } = {}] = await database.db.query<{ hash: string }>(
			`select '0x' || encode(transaction_hash, 'hex') as hash from wallets.submission
			where intent_id = $1 and final_at is not null`,
			[bought?.id ?? null],
		);
		expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
		await chain.anvil.rpc("anvil_mine", ["0x5a"]);
		await chain.reorg(150);
		expect(await chain.burns()).toEqual([]);
		await chain.pass(Math.ceil((clock.ms - (await chain.timeMs())) / 1_000));
		for (let tick = 0; tick < 4; tick++) await lab.tick(120);
		// Nobody looks at it any more, and what it held stays held.
		expect(await lab.held()).toMatchObject([{ status: "confirmed", raw: SHARE }]);

		await chain.earn(5n * SHARE, chain.addresses.usd);
		expect(await turns(lab, 3)).toEqual(Array(3).fill("previous_vanished"));
		const status = await lab.status();
		const lastRun = { status: "vanished", errorCode: "dropped_by_reorg", heldRaw: SHARE };
		expect(status).toMatchObject({ code: "previous_vanished", lastRun });
		expect(status.detail).toContain(hash);
		const [alarm] = await lab.degraded();
		expect(alarm).toMatchObject({ code: "token_buyback_vanished", count: 1 });
		expect(alarm?.action).toContain("BUYBACK_GONE_TRANSACTIONS");
		// A day later it is not taken into the sums either.
		await chain.pass(90_000);
		expect(await turns(lab, 1)).toEqual(["previous_vanished"]);

		const told = open({ BUYBACK_GONE_TRANSACTIONS: hash });
		await told.nextSlot();
		await told.turn();
		expect((await told.status()).code).not.toBe("previous_vanished");
		expect(await told.degraded()).toEqual([]);
		const [sum] = await database.db.query<{ is_folded: boolean }>(
			"select is_folded from tokenomics.buyback_run order by slot limit 1",
		);
		const sums = await database.db.query("select from tokenomics.buyback_spent");
		expect([sum, sums]).toEqual([{ is_folded: true }, []]);
	});
});

describe("a buyback that is refused", () => {
	// Guarantee: where something is not as it should be, a turn says why by a code, records no
	// intent, and moves nothing.

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

	test("a pool that is younger than the averaging period is not used", async () => {
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
	] as const)("a run is refused with %s, and no money is moved", async (code, given) => {
		const lab = open("env" in given ? given.env : {});
		if ("arrange" in given) given.arrange(lab);
		expect(await refusalOf(lab)).toBe(code);
	});

	test("a run that fails by a programming error reports turn_failed, and no money is moved", async () => {
		const lab = open();
		lab.turnDeps.contractsNow = async () => {
			throw new TypeError("a mistake");
		};
		await lab.nextSlot();
		await expect(lab.turn()).rejects.toThrow("a mistake");
		expect(await lab.status()).toMatchObject({ code: "turn_failed", lastRun: null });
		expect(lab.counted).toEqual(["turn_failed"]);
	});

	test("a burn share whose payee is not the keeper is not released", async () => {
		await chain.setPayee(chain.who.searcher);
		expect(await refusalOf(open())).toBe("payee_differs");
		await chain.setPayee(chain.who.keeper);
	});

	test("a burner whose keeper is another account is not called", async () => {
		const lab = open();
		const { token, router } = chain.addresses;
		const burner = await chain.burnerOf(token, chain.who.searcher);
		lab.state.contracts = { token, router, burner };
		expect(await refusalOf(lab)).toBe("keeper_differs");
	});

	test("a keeper without coins for gas sends nothing", async () => {
		await chain.setBalance(chain.who.keeper, 1_000n);
		await chain.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [
			`0x${(300n * 10n ** 9n).toString(16)}`,
		]);
		await chain.anvil.rpc("anvil_mine", ["0x1"]);
		expect(await refusalOf(open())).toBe("keeper_without_gas");
		await chain.setBalance(chain.who.keeper, ETHER / 20n);
		await chain.anvil.rpc("anvil_mine", ["0x64"]);
	});

	test("a keeper without coins for gas sends nothing for revenue in a token either", async () => {
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
		"a buyback that an operator disabled by %s records nothing",
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

	test("a price that differs from its average stops the run, in both directions", async () => {
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

	test("quotes that differ too much stop the run", async () => {
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
				return {
					kind: "result",
					result: `0x${raw.toString(16).padStart(64, "0")}${told.slice(66)}`,
				};
			});
		};
		expect(await refusalOf(lab)).toBe("quotes_disagree");
	});

	test("revenue that no pool trades is kept, and reported", async () => {
		const lab = open({ BUYBACK_CURRENCIES: chain.addresses.usd, BUYBACK_FEE_TIERS: "500" });
		expect(await refusalOf(lab)).toBe("no_pool");
		expect((await lab.status()).left).toMatchObject([
			{ currency: chain.addresses.usd, code: "no_pool", raw: String(200n * ETHER) },
		]);
	});

	test("revenue in a currency that is not configured is kept, and reported", async () => {
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
});

describe("a buyback that runs", () => {
	// Guarantee: a run spends what revenue earned for burning, within its bounds, through the deepest
	// pool, and burns what it bought; the spend ledger holds exactly what the chain says.

	const ETHER = 10n ** 18n;

	let database: TestDatabase;
	let chain: BurnChain;
	let lab: BuybackLab;
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		const { weth, token, usd } = chain.addresses;
		const coin = { tokenIn: weth, token };
		await chain.openPool({ ...coin, fee: 500, in: 20n * ETHER, out: 500_000n * ETHER });
		await chain.openPool({ ...coin, fee: 3000, in: 400n * ETHER, out: 10_000_000n * ETHER });
		const dollars = { in: 1_000_000n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: usd, token, fee: 10000, ...dollars });
		await chain.pass(2_000);
		lab = openBuybackLab({ db: database.db, chain });
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	const kindsSince = async (count: number) =>
		(await lab.intents()).slice(count).map(({ kind, status }) => `${kind} ${status}`);

	test("revenue in the coin is released, and spent in the deepest pool on the token that is burned", async () => {
		await chain.earn(ETHER / 2n);
		const [supply, balance] = [
			await chain.supply(),
			await chain.balance(ZERO_ADDRESS, chain.who.keeper),
		];
		expect(await lab.run()).toMatchObject({ kind: "began", left: [] });
		expect((await kindsSince(0)).sort()).toEqual([
			"buyback confirmed",
			"buyback-release confirmed",
		]);
		const [burn, ...others] = await chain.burns();
		expect(others).toEqual([]);
		// A fifth of it was for burning, less nothing: the keeper's own coin pays for gas alone.
		expect(burn?.spent).toBe(ETHER / 10n);
		expect(supply - (await chain.supply())).toBe(burn?.burned ?? 0n);
		const [held] = await lab.held();
		expect(held).toMatchObject({ status: "confirmed", raw: burn?.spent });
		const status = await lab.status();
		expect(status).toMatchObject({ isEnabled: true, code: null, left: [] });
		expect(status.lastRun).toMatchObject({ status: "confirmed", heldRaw: burn?.spent });
		const shown = (await lab.intents()).find(({ kind }) => kind === "buyback")?.plan.shown;
		expect(shown).toMatchObject({ fee: 3000, action: "buyback" });
		expect(burn?.burned).toBe(BigInt(shown.simulatedRaw));
		const gas = balance - (await chain.balance(ZERO_ADDRESS, chain.who.keeper));
		expect(gas > 0n && gas < ETHER / 100n).toBe(true);
	});

	test("the keeper's money for gas is never spent by a buyback", async () => {
		await lab.nextSlot();
		await chain.setBalance(chain.who.keeper, ETHER);
		const nonce = await chain.nonce(chain.who.keeper);
		expect(await lab.run()).toMatchObject({
			...{ kind: "refused", left: [], refusal: { code: "nothing_to_spend" } },
		});
		expect(await chain.nonce(chain.who.keeper)).toBe(nonce);
	});

	test("revenue in a token is spent by an exact allowance, of which nothing remains", async () => {
		await lab.nextSlot();
		const { usd, burner } = chain.addresses;
		const count = (await lab.intents()).length;
		await chain.earn(2_000n * ETHER, usd);
		expect(await lab.run()).toMatchObject({ kind: "began" });
		expect((await kindsSince(count)).sort()).toEqual([
			...["allowance confirmed", "buyback confirmed", "buyback-release confirmed"],
		]);
		const burn = (await chain.burns()).at(-1);
		expect(burn?.spent).toBe(400n * ETHER);
		expect(await chain.allowance(usd, chain.who.keeper, burner)).toBe(0n);
		expect(await chain.balance(usd, chain.who.keeper)).toBe(0n);
		expect((await lab.held()).at(-1)).toMatchObject({ status: "confirmed", raw: 400n * ETHER });
	});

	test("a run, and all runs of a day, spend no more than their limits", async () => {
		const small = openBuybackLab({
			...{ db: database.db, chain, clock: lab.clock },
			env: { BUYBACK_RUN_USD_MAX: 100, BUYBACK_DAY_USD_MAX: 800, BUYBACK_CURRENCIES: ZERO_ADDRESS },
		});
		await chain.earn(2n * ETHER);
		const before = (await chain.burns()).length;
		const turns: string[] = [];
		for (let turn = 0; turn < 3; turn++) {
			await small.nextSlot();
			const { kind, ...more } = await small.run();
			turns.push("refusal" in more ? more.refusal.code : kind);
		}
		// 650 dollars were spent before.
		expect(turns).toEqual(["began", "began", "day_limit"]);
		const spent = (await chain.burns()).slice(before).map((burn) => burn.spent);
		expect(spent).toEqual([ETHER / 25n, ETHER / 50n]);
	});

	test("after a day the spent amount is in the totals, and no longer counts against the day's limit", async () => {
		await chain.pass(90_000);
		await lab.nextSlot();
		// Less is left than the release of all that was owed brought.
		expect(await lab.run()).toMatchObject({ kind: "began" });
		const sums = await database.db.query<{ spent: string }>(
			"select spent_raw::text as spent from tokenomics.buyback_spent order by spent_raw desc",
		);
		const spent = ETHER / 10n + ETHER / 25n + ETHER / 50n;
		expect(sums.map((one) => BigInt(one.spent))).toEqual([400n * ETHER, spent]);
		const all = (await chain.burns()).reduce((sum, burn) => sum + burn.spent, 0n);
		const held = (await lab.held()).reduce((sum, { raw }) => sum + raw, 0n);
		expect(held).toBe(all);
	});

	test("a dry run sends nothing, and reserves nothing", async () => {
		await chain.earn(ETHER);
		await lab.nextSlot();
		const nonce = await chain.nonce(chain.who.keeper);
		lab.state.isDryRun = true;
		expect(await lab.run()).toMatchObject({ kind: "began" });
		lab.state.isDryRun = false;
		expect((await lab.held()).at(-1)).toMatchObject({ status: "dry_run", raw: 0n });
		expect(await chain.nonce(chain.who.keeper)).toBe(nonce);
	});

	test("a worker that was suspended during another's run begins no second run from old figures", async () => {
		await lab.nextSlot();
		await chain.earn(ETHER);
		// Enough for a second run, of money that is for gas.
		await chain.setBalance(chain.who.keeper, 5n * ETHER);
		const awake = openBuybackLab({ db: database.db, chain, clock: lab.clock });
		const before = (await chain.burns()).length;
		let looks = 0;
		const sleepy = openBuybackLab({
			...{ db: database.db, chain, clock: lab.clock },
			async observe(step, edge) {
				if (step !== "buyback.turn" || edge !== "after") return;
				looks += 1;
				// It knows what it would buy, and sleeps past its slot; the run of the next one is over.
				if (looks !== 2) return;
				await awake.nextSlot();
				expect((await awake.run()).kind).toBe("began");
				expect((await awake.run()).kind).toBe("had");
			},
		});
		expect((await sleepy.turn()).kind).toBe("had");
		await sleepy.settled();
		expect(looks).toBe(2);
		expect(await chain.burns()).toHaveLength(before + 1);
	});

	test("one run begins if several workers take a turn simultaneously", async () => {
		await lab.nextSlot();
		await chain.earn(ETHER);
		const second = openBuybackLab({ db: database.db, chain, clock: lab.clock });
		const count = (await chain.burns()).length;
		const turns = await Promise.all([lab, second, lab, second].map((one) => one.turn()));
		await lab.settled();
		expect(turns.map(({ kind }) => kind).sort()).toEqual(["began", "had", "had", "had"]);
		// Nor does one that comes late to the slot.
		expect(await second.run()).toEqual({ kind: "had" });
		expect(await chain.burns()).toHaveLength(count + 1);
	});
});

describe("a buyback during other people's trades", () => {
	// Guarantee: whoever trades before and after a purchase in its own block takes at most the
	// slippage bound from it; where it would be more, nothing is bought, and nothing is spent but
	// gas.

	const ETHER = 10n ** 18n;
	const GWEI = 10n ** 9n;
	const BPS = 10_000n;
	const GAS = toHex(1_000_000);

	let database: TestDatabase;
	let chain: BurnChain;
	let lab: BuybackLab;
	beforeAll(async () => {
		[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
		const { weth, token } = chain.addresses;
		const opened = { in: 400n * ETHER, out: 10_000_000n * ETHER };
		await chain.openPool({ tokenIn: weth, token, fee: 3000, ...opened, observations: 400 });
		await chain.earn(50n * ETHER);
		await chain.pass(4_000);
		lab = openBuybackLab({ db: database.db, chain, env: { BUYBACK_DAY_USD_MAX: 100_000 } });
	});
	afterAll(async () => {
		await chain?.anvil.stop();
		await database?.drop();
	});

	type Placed = { transactionIndex: Hex; status: Hex };

	/** Has the next purchase stand in one block between a swap for so much and its way back. */
	function sandwich(raw: bigint): { hashes: Hex[]; placed(): Promise<Placed[]> } {
		const { anvil, addresses, who } = chain;
		const { weth, token, swapRouter, burner } = addresses;
		const hashes: Hex[] = [];
		const trade = (swap: Swap, maxFeePerGas: bigint) =>
			anvil.rpc<Hex>("eth_sendTransaction", [
				{
					...{ from: who.searcher, to: swapRouter, data: chain.swapData(swap), gas: GAS },
					// The node puts who offers more before who offers less.
					...{ maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: "0x1" },
				},
			]);
		let boughtRaw = 0n;
		lab.state.beforeSend = async () => {
			if (lab.sent.at(-1)?.to !== burner) return;
			const swap = { tokenIn: weth, tokenOut: token, fee: 3000, raw };
			const answer = await anvil.rpc<Hex>("eth_call", [
				{ from: who.searcher, to: swapRouter, data: chain.swapData(swap) },
				"latest",
			]);
			[boughtRaw] = decodeAbiParameters([{ type: "uint256" }], answer);
			await anvil.rpc("evm_setAutomine", [false]);
			hashes.push(await trade(swap, 500n * GWEI));
		};
		lab.state.afterSend = async () => {
			if (lab.sent.at(-1)?.to !== burner) return;
			const pending = await anvil.rpc<{ transactions: Hex[] }>("eth_getBlockByNumber", [
				"pending",
				false,
			]);
			const least = lab.sent.at(-1)?.maxFeePerGas ?? 0n;
			hashes.push(...pending.transactions.filter((hash) => !hashes.includes(hash)));
			hashes.push(
				await trade({ tokenIn: token, tokenOut: weth, fee: 3000, raw: boughtRaw }, least - 1n),
			);
			await anvil.rpc("anvil_mine", ["0x1"]);
			await anvil.rpc("evm_setAutomine", [true]);
		};
		return {
			hashes,
			placed: () =>
				Promise.all(hashes.map((hash) => anvil.rpc<Placed>("eth_getTransactionReceipt", [hash]))),
		};
	}

	test.each([ETHER / 10n, ETHER, 2n * ETHER, 3n * ETHER, 4n * ETHER, 8n * ETHER, 60n * ETHER])(
		"a sandwich attack of %p in the block of the purchase costs at most the slippage limit",
		async (raw) => {
			await chain.pass(4_000);
			await lab.nextSlot();
			const [before, burns] = [
				await chain.balance(chain.addresses.weth, chain.who.searcher),
				(await chain.burns()).length,
			];
			const attack = sandwich(raw);
			expect(await lab.run()).toMatchObject({ kind: "began" });
			const placed = await attack.placed();
			// It was one: in one block, before and after.
			expect(placed.map(({ transactionIndex }) => Number(transactionIndex))).toEqual([0, 1, 2]);
			const bought = (await lab.intents()).findLast(({ kind }) => kind === "buyback");
			const [held] = (await lab.held()).slice(-1);
			const quoted = BigInt(bought?.plan.shown.quotedRaw);
			const least = (quoted * (BPS - lab.turnDeps.bounds.slippageBps)) / BPS;
			const made = (await chain.burns()).slice(burns);
			if (placed[1]?.status === "0x1") {
				expect(made).toHaveLength(1);
				expect(made[0]?.burned ?? 0n).toBeGreaterThanOrEqual(least);
				expect(held).toMatchObject({ status: "confirmed", raw: made[0]?.spent });
			} else {
				expect(made).toHaveLength(0);
				expect(held).toMatchObject({ status: "failed", raw: 0n });
				// Nobody earns by it: who tried paid the pool's fee twice.
				const left = await chain.balance(chain.addresses.weth, chain.who.searcher);
				expect(left < before).toBe(true);
			}
			// Both are seen: those that it bears, and those that it does not.
			expect(placed[1]?.status).toBe(raw < 8n * ETHER ? "0x1" : "0x0");
		},
	);
});
