import { afterAll, beforeAll, expect, test } from "bun:test";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { planSteps } from "#plugins/reveal-snipe/model.ts";
import { type KillLane, type KillWorld, openKillLane } from "#test/e2e/kills/openKillLane.ts";
import { openKillWorld } from "#test/e2e/kills/openTradeLane.ts";
import type { StandInBook } from "#test/e2e/kills/providerStandIn.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { sellListing } from "#test/harness/sellListing.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: wherever a process dies while a plan buys, the next one buys what its owner asked for:
// the token once, within the plan's bounds; and what the plan reports as spent is what was paid.

const isProving = process.env["PROVE"] === "1";
/** Steps of the execution path between a decision and the result of its payment. */
const PATH_STEPS = ["commit.decide", "custody.send", "commit.outcome"];
const PRICE_RAW = 10n ** 16n;
const MONTH_S = 30 * 86_400;
const TURNS_MAX = 200;
/** Turns of the jobs before the clock runs faster. */
const SLOW_TURNS = 20;
const TURN_MS = 1_100;
const LONG_TURN_MS = 6_000;
const ENDED = new Set(["confirmed", "failed", "rejected", "expired"]);
const ownerAbi = parseAbi(["function ownerOf(uint256) view returns (address)"]);

const points = [...planSteps, ...PATH_STEPS].flatMap((step) =>
	(["before", "after"] as const).map((edge): KillPoint => ({ step, edge, nth: 1 })),
);

/** Buys of one plan that are under way at once, each with a planned nonce. */
const AT_ONCE = 4;
/** In the middle of them: one is recorded or sent, and others are not. */
const SIDE_BY_SIDE_FEW: readonly KillPoint[] = [
	{ step: "plan.fill", edge: "after", nth: 3 },
	{ step: "custody.send", edge: "before", nth: 2 },
	{ step: "custody.send", edge: "after", nth: 2 },
	{ step: "commit.outcome", edge: "before", nth: 3 },
];
const SIDE_BY_SIDE = ["plan.fill", ...PATH_STEPS].flatMap((step) =>
	(["before", "after"] as const).flatMap((edge) =>
		[1, 2, 3, 4].map((nth): KillPoint => ({ step, edge, nth })),
	),
);

let world: KillWorld;
let lane: KillLane;
beforeAll(async () => {
	world = await openKillWorld();
	lane = await openKillLane(world, 0);
});
afterAll(async () => {
	await lane?.stop();
	await world?.stop();
});

/**
 * Lists tokens at a price that the plan may pay, and returns their ids; forged listings have
 * somebody else's signature.
 */
async function putUpForSale({ count = 1, isForged = false } = {}): Promise<bigint[]> {
	const offers = [];
	for (let nth = 0; nth < count; nth++) offers.push(await offer(isForged));
	lane.sell(...offers.map(({ book }) => book));
	return offers.map(({ tokenId }) => tokenId);
}

async function offer(isForged: boolean): Promise<{ tokenId: bigint; book: StandInBook }> {
	const { seaport } = world;
	const owner = seaport.accounts[lane.seller];
	if (!owner) throw new Error("no such seller");
	const tokenId = await world.whileMining(() => seaport.mintNft(owner));
	const listed = await sellListing({
		seller: lane.seller,
		token: { itemType: 2, contract: seaport.tokens.nft, id: tokenId },
		payments: [{ recipient: owner, raw: PRICE_RAW }],
		nowMs: Date.now(),
		endsInS: MONTH_S,
	});
	const fulfilment = structuredClone(listed.fulfilment());
	const parameters = fulfilment.transaction.inputData["parameters"] as Record<string, unknown>;
	// The provider's conduit is not on this node.
	parameters["fulfillerConduitKey"] = `0x${"0".repeat(64)}`;
	if (isForged) {
		const signature = `0x${"11".repeat(64)}1b`;
		parameters["signature"] = signature;
		fulfilment.orders = fulfilment.orders.map((order) => ({ ...order, signature }));
	}
	return { tokenId, book: { listing: listed.listing, fulfilment } };
}

/** Makes the plan due, as a burst does that has covered the collection. */
async function makeDue(): Promise<void> {
	await lane.db.execute(
		`update reveal_snipe.plan set due_at = coalesce(due_at, 'epoch'),
			due_until = now() + interval '10 years' where status = 'armed'`,
	);
}

/** Says whether no living process evaluates a plan. */
async function isIdle(): Promise<boolean> {
	const busy = await lane.db.query(
		`select from reveal_snipe.plan where evaluation_until is not null and exists (
			select from pg_stat_activity where application_name = evaluation_session)`,
	);
	return busy.length === 0;
}

type Fill = { status: string; tokenId: string; priceRaw: string };
type PlanSeen = { status: string; spentRaw: string; filledCount: number; fills: Fill[] };

/** Arms a plan for so many tokens. */
async function arm(items = 1): Promise<string> {
	const key = crypto.randomUUID();
	const body = {
		...{ collectionSlug: world.seaport.tokens.nft, chain: "anvil", trigger: "on_reveal" },
		...{ maxRank: 1, maxPricePerItemNative: "0.01", budgetNative: `0.0${items}`, maxItems: items },
	};
	const armed = await lane.ask("/v1/nft-market/snipes", { body, key });
	if (armed.status !== 201) throw new Error(`not armed: ${armed.text}`);
	return armed.body.id;
}

/** Arms a plan and drives it to its end, through a death at the point. */
async function play(
	point: KillPoint | null,
	items = 1,
): Promise<{ deaths: number; plan: PlanSeen }> {
	const id = await arm(items);
	await lane.arm(point);
	let deaths = 0;
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		try {
			await makeDue();
			await lane.tick(turn < SLOW_TURNS ? TURN_MS : LONG_TURN_MS);
			// The clock must not jump while a fill is being handed over.
			await until(isIdle, "nobody evaluates");
			const { body: plan } = await lane.ask(`/v1/nft-market/snipes/${id}`);
			if (plan.status !== "completed") continue;
			await lane.custody.idle();
			return { deaths, plan };
		} catch (error) {
			if (!(await lane.hasDied())) throw error;
			deaths++;
			await lane.revive();
			await lane.arm(null);
		}
	}
	const seen = await lane.ask(`/v1/nft-market/snipes/${id}`);
	throw new Error(`the plan has not bought what it may: ${seen.text}`);
}

async function judge(tokenIds: readonly bigint[], plan: PlanSeen): Promise<string[]> {
	const problems: string[] = [];
	const must = (holds: boolean, problem: string) => {
		if (!holds) problems.push(problem);
	};
	for (const tokenId of tokenIds) problems.push(...(await judgeToken(tokenId)));
	const count = tokenIds.length;
	const spentRaw = String(BigInt(count) * PRICE_RAW);
	must(plan.spentRaw === spentRaw, `the plan says that it spent ${plan.spentRaw}`);
	must(plan.filledCount === count && plan.fills.length === count, `${plan.fills.length} fills`);
	const [row] = await lane.db.query<{ mined: number }>(
		"select count(*)::int as mined from wallets.submission where state in ('mined', 'reverted')",
	);
	const { address } = lane.wallet;
	const made = await world.anvil.rpc<Hex>("eth_getTransactionCount", [address, "latest"]);
	const left = Number(made) - lane.nonceBefore;
	must(left === row?.mined, `the chain has ${left} transactions, we know ${row?.mined}`);
	return problems;
}

async function judgeToken(tokenId: bigint): Promise<string[]> {
	const intents = await lane.db.query<{ status: string; sent: number; held: string }>(
		`select i.status, (select count(*)::int from wallets.submission s where s.intent_id = i.id
				and s.purpose = 'pay' and s.state in ('sent', 'mined')) as sent,
			coalesce((select sum(case when e.kind in ('reserve', 'unrelease') then e.amount_raw
				when e.kind = 'release' then -e.amount_raw else 0 end)
				from wallets.spend_entry e where e.intent_id = i.id), 0)::text as held
		from wallets.intent i where i.request->>'tokenId' = $1`,
		[String(tokenId)],
	);
	const paid = intents.filter(({ status }) => status === "confirmed");
	const others = intents.filter(({ status }) => status !== "confirmed");
	const problems: string[] = [];
	const must = (holds: boolean, problem: string) => {
		if (!holds) problems.push(problem);
	};
	must(paid.length === 1, `${paid.length} of ${intents.length} intents are confirmed`);
	must(paid[0]?.held === String(PRICE_RAW), `${paid[0]?.held} are held for it`);
	must(
		others.every(({ status, sent, held }) => ENDED.has(status) && sent === 0 && held === "0"),
		`what came to nothing holds something: ${JSON.stringify(others)}`,
	);
	const data = encodeFunctionData({ abi: ownerAbi, args: [tokenId] });
	const to = world.seaport.tokens.nft;
	const owner = await world.anvil.rpc<Hex>("eth_call", [{ to, data }, "latest"]);
	must(owner.endsWith(lane.wallet.address.slice(2)), "somebody else has the token");
	return problems;
}

/** What the wallet has, and the transactions that the wallet provider sent for it. */
async function purse(): Promise<{ heldRaw: bigint; hashes: string[] }> {
	const { address } = lane.wallet;
	const held = await world.anvil.rpc<Hex>("eth_getBalance", [address, "latest"]);
	return { heldRaw: BigInt(held), hashes: lane.custody.transactions().map(({ hash }) => hash) };
}

/** Compares what left the wallet with prices and gas, to the wei. */
async function judgePurse(
	before: Awaited<ReturnType<typeof purse>>,
	spentRaw: bigint,
): Promise<string[]> {
	const after = await purse();
	let wanted = before.heldRaw - spentRaw;
	for (const hash of after.hashes.slice(before.hashes.length)) {
		type Told = { gasUsed: Hex; effectiveGasPrice: Hex } | null;
		const receipt = await world.anvil.rpc<Told>("eth_getTransactionReceipt", [hash]);
		if (!receipt) return [`${hash} is in no block`];
		wanted -= BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
	}
	const off = after.heldRaw - wanted;
	return off === 0n ? [] : [`the wallet has ${off} more than the books say`];
}

test(
	"[RVL-07] a process that dies at any step of a plan's evaluation or its payment costs no second token",
	async () => {
		const wrong: string[] = [];
		for (const point of [null, ...points]) {
			const name = point ? `${point.step}:${point.edge}` : "undisturbed";
			for (let time = 0; time < (isProving ? 5 : 1); time++) {
				const tokenIds = await putUpForSale();
				const { deaths, plan } = await play(point);
				if (deaths !== (point ? 1 : 0)) wrong.push(`${name}: ${deaths} deaths`);
				wrong.push(...(await judge(tokenIds, plan)).map((problem) => `${name}: ${problem}`));
			}
		}
		expect(wrong).toEqual([]);
	},
	5 * TEST_LIMIT_MS,
);

test("a forged listing whose seller reverts with what no text can hold stops no plan and leaves no intent open", async () => {
	const seller = world.seaport.accounts[lane.seller] ?? "0x";
	const [forged] = await putUpForSale({ isForged: true });
	// Asked for its signature, it reverts with Error(string) of "sold", a NUL, half a surrogate pair.
	const words = "736f6c6400eda0bd6f7574";
	const data = `08c379a0${"20".padStart(64, "0")}${"b".padStart(64, "0")}${words.padEnd(64, "0")}`;
	const size = (data.length / 2).toString(16).padStart(2, "0");
	await world.anvil.rpc("anvil_setCode", [seller, `0x60${size}600c60003960${size}6000fd${data}`]);
	const id = await arm();
	await lane.arm(null);
	const asked = async () =>
		await lane.db.query<{ status: string; said: string | null }>(
			`select status, (
				select string_agg(detail, ' ') from wallets.intent_move where intent_id = i.id
			) as said
			from wallets.intent i where request->>'tokenId' = $1`,
			[String(forged)],
		);
	const turn = async () => {
		await makeDue();
		await lane.tick(TURN_MS);
		await until(isIdle, "nobody evaluates");
	};
	await until(async () => {
		await turn();
		return (await asked()).some(({ status }) => ENDED.has(status));
	}, "the forged listing was asked for");
	const intents = await asked();
	expect(intents.filter(({ status }) => status === "confirmed")).toEqual([]);
	expect(JSON.stringify(intents)).toContain("sold");
	expect(JSON.stringify(intents)).not.toMatch(/\\u0000|\\ud83d/);
	await world.anvil.rpc("anvil_setCode", [seller, "0x"]);
	const [honest = -1n] = await putUpForSale();
	await until(async () => {
		await turn();
		return (await lane.ask(`/v1/nft-market/snipes/${id}`)).body.status === "completed";
	}, "the plan bought the honest listing");
	expect((await asked()).every(({ status }) => ENDED.has(status))).toBe(true);
	const { body: plan } = await lane.ask(`/v1/nft-market/snipes/${id}`);
	const fills = plan.fills.filter(({ tokenId }: Fill) => tokenId === String(honest));
	expect(await judge([honest], { ...plan, fills })).toEqual([]);
});

test(
	"[RVL-07] a process that dies while buys of a plan go side by side costs nothing twice, and the books are the chain's to the wei",
	async () => {
		const wrong: string[] = [];
		for (const point of isProving ? SIDE_BY_SIDE : SIDE_BY_SIDE_FEW) {
			const { step, edge, nth } = point;
			const name = `${step}:${edge} ${nth}`;
			const tokenIds = await putUpForSale({ count: AT_ONCE });
			const before = await purse();
			const { deaths, plan } = await play(point, AT_ONCE);
			if (deaths !== 1) wrong.push(`${name}: ${deaths} deaths`);
			const spentRaw = BigInt(AT_ONCE) * PRICE_RAW;
			const problems = [...(await judge(tokenIds, plan)), ...(await judgePurse(before, spentRaw))];
			wrong.push(...problems.map((problem) => `${name}: ${problem}`));
		}
		expect(wrong).toEqual([]);
	},
	5 * TEST_LIMIT_MS,
);
