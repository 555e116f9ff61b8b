import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Hex, toHex, zeroAddress } from "viem";
import {
	type Holdings,
	holdingsOf,
	judgeLedger,
	type LedgerLane,
	openLedgerLane,
} from "#test/e2e/kills/openLedgerLane.ts";
import { type Owed, SHAPES } from "#test/e2e/kills/openOwner.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { sellListing } from "#test/harness/sellListing.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: whichever process dies while a wallet does everything at once (transfers of coin,
// token and stock, trades, buys, bridges, plans) and an owner's own wallet sends beside it (as
// asked, sped up, cancelled, replaced; told at once, late, never, wrongly), the ledger says to the
// wei what both chains say, and whoever money went through keeps nothing of it.

const isProving = process.env["PROVE"] === "1";
const KILLS = isProving ? 60 : 4;
const TRIALS_MAX = 4 * KILLS;
const SEED = Number(process.env["KILLS_SEED"] ?? TEST_SEED);
const CHAIN_ID = 4_663;
const MILLI = 10n ** 15n;
const PRICE_RAW = 10n ** 16n;
const MONTH_S = 30 * 86_400;
const TURNS_MAX = 160;
const SLOW_TURNS = 6;
const TURN_MS = 1_100;
const LONG_TURN_MS = 8_000;
/** Longer than what the wallet provider denies is looked up once more. */
const LATER_MS = 40_000;
/** Where only owners' wallets are waited for, whose questions run out after ten minutes. */
const OWNERS_TURN_MS = 60_000;
const OWED_AT_ONCE = 3;
const PAUSE_MS = 20;
const TRANSFERS = "/v1/trading/wallet-transfers";
const TRADES = "/v1/trading/intents";
const BRIDGES = "/v1/bridges/intents";
const SNIPES = "/v1/nft-market/snipes";
const ENDED = "('confirmed', 'failed', 'rejected', 'expired')";
const OPEN = "('queued', 'sending', 'sent', 'doubtful', 'dropped')";
const ARMED = "('armed', 'paused')";
const BRIDGE_ENDED = "('success', 'refund', 'rejected', 'failure')";

/** One request, and what its recipient has to hold in the end where it pays one. */
type Asked = {
	kind: string;
	path: string;
	body: unknown;
	key: string;
	answer: any;
	/** Holds the status and text of the last answer, for the message of a failed test. */
	told: string;
	paid?: { currency: Hex; recipient: Hex; raw: bigint };
	/** Left out: the lane's own wallet pays. */
	owed?: Owed;
};

let lane: LedgerLane;
let before: Holdings;
beforeAll(async () => {
	lane = await openLedgerLane();
	before = await holdingsOf(lane);
});
afterAll(() => lane?.stop());

const random = createPrng(SEED);
const somebody = (): Hex => toHex(crypto.getRandomValues(new Uint8Array(20)));

function request(kind: string, path: string, body: unknown, paid?: Asked["paid"]): Asked {
	return {
		kind,
		path,
		body,
		key: crypto.randomUUID(),
		answer: null,
		told: "",
		...(paid && { paid }),
	};
}

function transfer(kind: string, currency: Hex, amount: string, raw: bigint): Asked {
	const recipient = somebody();
	const body = {
		...{ fromWalletId: lane.wallet.id, recipients: [recipient], amount, chain: "robinhood" },
		currency: currency === zeroAddress ? "ETH" : currency,
	};
	return request(kind, TRANSFERS, body, { currency, recipient, raw });
}

/** Lists a token for sale, and returns a buy of it, or a plan that buys it. */
async function nftRequest(isPlan: boolean): Promise<Asked> {
	const { seaport } = lane.world;
	const owner = seaport.accounts[lane.seller];
	if (!owner) throw new Error("no such seller");
	const tokenId = await seaport.mintNft(owner);
	const listed = await sellListing({
		seller: lane.seller,
		token: { itemType: 2, contract: seaport.tokens.nft, id: tokenId },
		payments: [{ recipient: owner, raw: PRICE_RAW }],
		nowMs: Date.now(),
		...{ endsInS: MONTH_S, chainId: CHAIN_ID },
	});
	const fulfilment = structuredClone(listed.fulfilment());
	const parameters = fulfilment.transaction.inputData["parameters"] as Record<string, unknown>;
	// The provider's conduit is not on this node.
	parameters["fulfillerConduitKey"] = `0x${"0".repeat(64)}`;
	fulfilment.transaction.chainId = CHAIN_ID;
	lane.sell({ listing: { ...listed.listing, chainId: CHAIN_ID }, fulfilment });
	const contract = seaport.tokens.nft;
	if (!isPlan) {
		const body = { contract, tokenId: String(tokenId), maxPriceNative: "0.01", chain: "robinhood" };
		return request("buy", "/v1/nft-market/buys", body);
	}
	return request("plan", SNIPES, {
		...{ collectionSlug: contract, chain: "robinhood", trigger: "on_reveal", maxRank: 1 },
		...{ maxPricePerItemNative: "0.01", budgetNative: "0.01", maxItems: 1 },
	});
}

/** Asks an owner's own wallet for a payment, which it sends and tells in one of its ways. */
function ownersPayment(nth: number): Asked {
	const owed = lane.owner.owe(nth % SHAPES, somebody());
	return { ...request("owner", TRANSFERS, owed.body), owed };
}

/** Everything that a wallet can do, asked for at once. */
async function requests(nth: number): Promise<Asked[]> {
	const { usdg, tsla } = lane.tokens;
	const isOdd = nth % 2 === 1;
	const trade = isOdd ? "sell 0.02 TSLA to ETH" : "buy NVDA with 0.01 ETH";
	const bridge = `bridge ${1 + (nth % 9)} USDG from robinhood to anvil as ETH`;
	return [
		transfer("coin", zeroAddress, "0.001", MILLI),
		transfer("token", usdg, "1.5", 1_500_000n),
		transfer("stock", tsla, "0.01", 10n * MILLI),
		request("trade", TRADES, { command: "buy TSLA with 20 USDG" }),
		request("trade", TRADES, { command: trade }),
		request("bridge", BRIDGES, { command: bridge }),
		await nftRequest(isOdd),
		...Array.from({ length: OWED_AT_ONCE }, (_, place) =>
			ownersPayment(nth * OWED_AT_ONCE + place),
		),
	];
}

/** Asks for what has no answer yet: with its key, so that it is recorded once. */
async function ask(all: readonly Asked[]): Promise<void> {
	for (const one of all) {
		if (one.answer !== null) continue;
		const { path, body: asked, key, owed } = one;
		const as = owed && { as: lane.custody.person("fay").id };
		const { status, body, text } = await lane.ask(path, { body: asked, key, ...as });
		// 409 only until the database has noticed that the process that held the key is gone.
		one.told = `${status} ${text}`;
		if (status === 409 || status === 503) continue;
		if (status > 299) throw new Error(`${one.kind} not asked: ${status} ${text}`);
		one.answer = body;
		if (owed) owed.intentId = body.transfers[0].id;
	}
}

/** Says whether nothing is under way any more, or only what owners' wallets send. */
async function isOver(all: readonly Asked[], { butOwners = false } = {}): Promise<boolean> {
	if (all.some(({ answer }) => answer === null)) return false;
	const [row] = await lane.db.query<{ open: number }>(
		`select ((select count(*) from wallets.intent
				where status not in ${ENDED} and not ($2 and wallet_id = $1))
			+ (select count(*) from wallets.submission where purpose = 'pay'
				and state in ${OPEN} and not ($2 and wallet_id = $1))
			+ (select count(*) from bridge.bridge where status not in ${BRIDGE_ENDED})
			+ (select count(*) from reveal_snipe.plan where status in ${ARMED}))::int as open`,
		[lane.owner.wallet.id, butOwners],
	);
	return row?.open === 0;
}

/** Drives all to its end, through a death at the point; says how often it died, by which edges. */
async function play(all: readonly Asked[], point: KillPoint | null) {
	let deaths = 0;
	let reached: Record<string, number> = {};
	await lane.arm(point);
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		try {
			await ask(all);
			for (const { owed } of all) if (owed) await lane.owner.act(owed);
			await lane.db.execute(
				`update reveal_snipe.plan set due_at = coalesce(due_at, 'epoch'),
					due_until = now() + interval '10 years' where status = 'armed'`,
			);
			const isLate = turn >= SLOW_TURNS && (await isOver(all, { butOwners: true }));
			const turnMs = turn < SLOW_TURNS ? TURN_MS : LONG_TURN_MS;
			reached = await lane.tick(isLate ? OWNERS_TURN_MS : turnMs);
			await lane.world.bridges.bridge.idle();
			await lane.custody.idle();
			if (!(await isOver(all))) {
				await Bun.sleep(PAUSE_MS);
				continue;
			}
			// What the wallet provider still does late then shows on the chain.
			reached = await lane.tick(LATER_MS);
			if (await isOver(all)) return { deaths, reached };
		} catch (error) {
			if (!(await lane.hasDied())) throw error;
			deaths++;
			await lane.revive();
			await lane.arm(null);
		}
	}
	const stuck = await lane.db.query(
		`select kind, status, error from wallets.intent where status not in ${ENDED}
		union all select 'submission', state::text, to_jsonb(intent_id) from wallets.submission
			where purpose = 'pay' and state in ${OPEN}
		union all select 'plan', status, to_jsonb(failure_code) from reveal_snipe.plan
			where status in ${ARMED}
		union all select kind, status, error from wallets.intent where status in ('rejected', 'failed')
		union all select 'bridge', status, to_jsonb(error_code) from bridge.bridge
			where status not in ${BRIDGE_ENDED}`,
	);
	const unasked = all.filter(({ answer }) => answer === null).map(({ kind, told }) => [kind, told]);
	throw new Error(`stuck: ${JSON.stringify([...unasked, ...stuck])}`);
}

/** Each recipient has what it was sent, or nothing. */
async function judgePaid(all: readonly Asked[]): Promise<string[]> {
	const problems: string[] = [];
	for (const { kind, paid, answer } of all) {
		if (!paid) continue;
		const [{ id }] = answer.transfers;
		const { body } = await lane.ask(`${TRANSFERS}/${id}`);
		const held = await lane.balanceOf(CHAIN_ID, paid.currency, paid.recipient);
		const wanted = body.status === "confirmed" ? paid.raw : 0n;
		if (held !== wanted) problems.push(`${kind}: ${body.status}, and its recipient has ${held}`);
	}
	return problems;
}

/** Plays everything once, with a death at a point, and returns the problems. */
async function trial(nth: number, point: KillPoint | null) {
	const all = await requests(nth);
	const { deaths, reached } = await play(all, point);
	const owed = all.flatMap((one) => one.owed ?? []);
	const problems = [
		...(await judgePaid(all)),
		...(await judgeLedger(lane, before)),
		...(await lane.owner.judge(owed)),
	];
	// Earlier payments count as final: each run reaches its own steps only.
	await lane.db.execute("update wallets.submission set final_at = now() where final_at is null");
	const name = point ? `${point.step}:${point.edge} ${point.nth}` : "undisturbed";
	return { deaths, reached, problems: problems.map((problem) => `${name}: ${problem}`) };
}

/** What really came to its good end, of each kind. */
async function kindsDone(): Promise<string[]> {
	const rows = await lane.db.query<{ kind: string }>(
		`select distinct case kind when 'transfer' then
				kind || ' ' || coalesce(request->'coin'->>'symbol', 'ETH') else kind end as kind
			from wallets.intent where status = 'confirmed'
		union select 'bridge' from bridge.bridge where status = 'success'
		union select 'plan' from reveal_snipe.plan where status = 'completed'
		order by kind`,
	);
	return rows.map(({ kind }) => kind);
}

test(
	`after ${KILLS} kills among all kinds of intents the ledger equals the chains to the wei [seed ${SEED}]`,
	async () => {
		const still = await trial(0, null);
		expect(still.problems).toEqual([]);
		const planned = await trial(1, null);
		expect(planned.problems).toEqual([]);
		const edges = Object.keys({ ...still.reached, ...planned.reached });
		let killed = 0;
		// At a point that is not reached this time no process dies: then another is drawn.
		for (let nth = 2; killed < KILLS && nth < TRIALS_MAX; nth++) {
			const [step = "", edge] = random.pick(edges).split(":") as [string, KillPoint["edge"]];
			const { deaths, problems } = await trial(nth, { step, edge, nth: 1 + random.int(3) });
			killed += deaths;
			expect(problems).toEqual([]);
		}
		expect(killed).toBe(KILLS);
		expect(await kindsDone()).toEqual([
			...["allowance", "bridge", "bridge-deposit", "nft_buy", "plan", "trade"],
			...["transfer ETH", "transfer TSLA", "transfer USDG"],
		]);
		const { unsealed, flaws } = await lane.verifyBooks();
		expect({ unsealed, flaws }).toEqual({ unsealed: 0, flaws: [] });
	},
	5 * TEST_LIMIT_MS,
);
