// Opens a lane on two chains with a bridge, and judges all books of it.

import { encodeFunctionData, type Hex } from "viem";
import {
	type KillLane,
	type KillPlace,
	laneClock,
	openLane,
} from "#test/e2e/kills/openKillLane.ts";
import { bundleKillable } from "#test/e2e/kills/startKillable.ts";
import {
	type BridgeWorldParts,
	openBridgeWorld,
	SIGNED_DOLLAR,
	USDG,
} from "#test/harness/openBridgeLab.ts";
import {
	type BridgeEntry,
	type BridgePayment,
	dollarAbi,
} from "#test/sandbox/bridge/BridgeWorld.ts";

/** What was there before bridges were asked for. */
export type BridgesBefore = {
	entries: number;
	transactions: number;
	holdings: ReadonlyMap<string, bigint>;
	nonces: ReadonlyMap<number, number>;
};

export type BridgeLane = KillLane<Place> & {
	/** What the wallet has now, of each currency that is bridged, as `chain currency`. */
	holdings(): Promise<ReadonlyMap<string, bigint>>;
};

type Place = KillPlace & { bridges: BridgeWorldParts };

const PURSE_RAW = 1_000_000n * 1_000_000n;
const COIN: Hex = `0x${"0".repeat(40)}`;
/** As `openLane` moves its clock. */
const BETWEEN_LIVES_MS = 20_000;
/** What a bridge needs: a start without the others takes half the time. */
const PLUGINS = ["custody", "wallets", "bridge"];

/**
 * Opens a lane on two chains with a bridge between them, whose wallet has dollars of both kinds:
 * those that are deposited, and those that its owner signs for. The chains' time goes with the
 * lane's, as signatures end by it.
 */
export async function openBridgeLane(): Promise<BridgeLane> {
	const clock = laneClock();
	const [bridges, bundle] = await Promise.all([
		openBridgeWorld({ clock }),
		bundleKillable(PLUGINS),
	]);
	const { market, home, custody } = bridges;
	const [prices = ""] = bundle.plugins;
	const lane = await openLane<Place>(
		{ anvil: home, bundle, bridges },
		{
			...{ index: 0, chain: "robinhood", made: { clock, custody } },
			env: {
				...bridges.env,
				...{ PLUGINS: prices, PLUGINS_DISABLED: "", STAND_IN_COIN: USDG },
				STAND_IN_DOLLAR: USDG,
			},
			async prepare({ address }) {
				for (const token of [USDG, SIGNED_DOLLAR]) await mint(bridges, token, address);
			},
		},
	);
	const pass = async (ms: number) => {
		for (const chain of [market, home]) {
			await chain.rpc("evm_increaseTime", [Math.ceil(ms / 1_000)]);
			await chain.rpc("evm_mine");
		}
	};
	const { address } = lane.wallet;
	return {
		...lane,
		async tick(ms) {
			await pass(ms);
			return await lane.tick(ms);
		},
		async revive() {
			await pass(BETWEEN_LIVES_MS);
			await lane.revive();
		},
		async holdings() {
			const coins = await Promise.all(
				[market, home].map(async ({ chainId, rpc }) => {
					const raw = BigInt(await rpc<string>("eth_getBalance", [address, "latest"]));
					return [`${chainId} ${COIN}`, raw] as const;
				}),
			);
			const args = [address] as const;
			const data = encodeFunctionData({ abi: dollarAbi, functionName: "balanceOf", args });
			const dollars = await Promise.all(
				[USDG, SIGNED_DOLLAR].map(async (to) => {
					const told = await home.rpc<string>("eth_call", [{ to, data }, "latest"]);
					return [`${home.chainId} ${to}`, BigInt(told)] as const;
				}),
			);
			return new Map([...coins, ...dollars]);
		},
		async stop() {
			await lane.stop();
			await bridges.stop();
			await bundle.remove();
		},
	};
}

/** Takes down where the bridge's books, the wallet provider's list and both chains stand. */
export async function bridgesBefore(lane: BridgeLane): Promise<BridgesBefore> {
	const { bridge, custody } = lane.world.bridges;
	return {
		entries: bridge.ledger().length,
		transactions: custody.transactions().length,
		holdings: await lane.holdings(),
		nonces: await noncesOf(lane),
	};
}

/**
 * Compares records, the bridge's own books, the wallet provider's list, the ledger of what was
 * spent, and both chains. Returns a sentence for each thing on which they do not agree.
 */
export async function judgeBridges(
	lane: BridgeLane,
	{ records, before }: { records: readonly any[]; before: BridgesBefore },
): Promise<string[]> {
	const entries = lane.world.bridges.bridge.ledger().slice(before.entries);
	return [
		...records.flatMap((record) => judgeRecord(record, entryOf(entries, record))),
		...judgeEntries(entries, records),
		...(await judgeChains(lane, { entries, before })),
		...(await judgeSpend(lane, { entries, records })),
	];
}

/**
 * Returns where a bridge must come to by what its provider really did with the deposit; null while
 * the provider has not come to an end.
 */
export function endOf(entry: BridgeEntry | undefined): readonly string[] | null {
	if (!entry || entry.deposits.length === 0) return ["rejected", "failure"];
	// It claims what no chain has: that is never an end.
	if (entry.told !== null) return ["pending"];
	if (entry.refund) return ["refund"];
	if (!entry.fill) return null;
	return entry.fill.raw < entry.destination.minimumRaw ? ["uncertain"] : ["success"];
}

export function entryOf(
	entries: readonly BridgeEntry[],
	record: { quote: { requestId: string } | null },
): BridgeEntry | undefined {
	return entries.find(({ requestId }) => requestId === record.quote?.requestId);
}

async function mint({ home }: BridgeWorldParts, to: string, owner: Hex): Promise<void> {
	const args = [owner, PURSE_RAW] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
	const [from] = await home.rpc<string[]>("eth_accounts");
	await home.rpc("eth_sendTransaction", [{ from, to, data }]);
	await home.mined();
}

async function noncesOf(lane: BridgeLane): Promise<ReadonlyMap<number, number>> {
	const { address } = lane.wallet;
	const found = await Promise.all(
		chainsOf(lane).map(async ({ chainId, rpc }) => {
			const told = await rpc<string>("eth_getTransactionCount", [address, "latest"]);
			return [chainId, Number(told)] as const;
		}),
	);
	return new Map(found);
}

function chainsOf({ world: { bridges } }: BridgeLane) {
	return [bridges.market, bridges.home];
}

function judgeRecord(record: any, entry: BridgeEntry | undefined): string[] {
	const { id, status, errorCode, arrived } = record;
	const wanted = endOf(entry);
	const name = `${id} (${status} ${errorCode})`;
	const paid = entry?.refund ?? entry?.fill;
	const deposit = entry?.deposits[0]?.hash ?? null;
	const isEnd = status === "success" || status === "refund";
	const found = `${arrived?.transactionHash} ${arrived?.amountRaw} ${arrived?.verified}`;
	return [
		...(wanted?.includes(status) ? [] : [`${name}: the provider's books say ${wanted}`]),
		...(record.depositHash === deposit ? [] : [`${name}: ${record.depositHash}, not ${deposit}`]),
		...(status === "uncertain" && errorCode !== "fill_short" ? [`${name}: of what?`] : []),
		...(isEnd && found !== `${paid?.hash} ${paid?.raw} true` ? [`${name}: ${found} arrived`] : []),
	];
}

/** Each order was paid once at most, each signature handed over once, and all of it is recorded. */
function judgeEntries(entries: readonly BridgeEntry[], records: readonly any[]): string[] {
	return entries.flatMap((entry) => {
		const { requestId, deposits, permit } = entry;
		const handed = permit?.handed ?? [];
		const isRecorded = records.some(({ quote }) => quote?.requestId === requestId);
		return [
			...(deposits.length > 1 ? [`${requestId}: ${deposits.length} deposits`] : []),
			...(deposits.length > 0 && !isRecorded ? [`${requestId}: nobody knows its deposit`] : []),
			...(new Set(handed).size < handed.length ? [`${requestId}: handed over ${handed}`] : []),
		];
	});
}

/** What the wallet has changed by what the books say, and by gas: to the last unit. */
async function judgeChains(
	lane: BridgeLane,
	{ entries, before }: { entries: readonly BridgeEntry[]; before: BridgesBefore },
): Promise<string[]> {
	const { custody } = lane.world.bridges;
	const changes = new Map<string, bigint>();
	const count = (key: string, raw: bigint) => changes.set(key, (changes.get(key) ?? 0n) + raw);
	const keyOf = ({ chainId, currency }: BridgePayment) => `${chainId} ${currency}`;
	for (const { deposits, fill, refund } of entries) {
		for (const payment of deposits) count(keyOf(payment), -payment.raw);
		for (const payment of [fill, refund]) if (payment) count(keyOf(payment), payment.raw);
	}
	const sent = custody.transactions().slice(before.transactions);
	const used = new Map<number, number>();
	const problems: string[] = [];
	for (const { caip2, hash } of sent) {
		const chain = chainsOf(lane).find(({ chainId }) => caip2 === `eip155:${chainId}`);
		type Told = { status: string; gasUsed: string; effectiveGasPrice: string } | null;
		const receipt = await chain?.rpc<Told>("eth_getTransactionReceipt", [hash]);
		if (!chain || receipt?.status !== "0x1") {
			problems.push(`${hash} is in no block`);
			continue;
		}
		const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
		count(`${chain.chainId} 0x${"0".repeat(40)}`, -gas);
		used.set(chain.chainId, (used.get(chain.chainId) ?? 0) + 1);
	}
	for (const [chainId, nonce] of await noncesOf(lane)) {
		const made = nonce - (before.nonces.get(chainId) ?? 0);
		const known = used.get(chainId) ?? 0;
		if (made !== known) problems.push(`chain ${chainId}: ${made} transactions, ${known} known`);
	}
	for (const [key, held] of await lane.holdings()) {
		const really = held - (before.holdings.get(key) ?? 0n);
		const told = changes.get(key) ?? 0n;
		if (really !== told) problems.push(`${key}: changed by ${really}, the books say ${told}`);
	}
	const references = custody.transactions().map(({ referenceId }) => referenceId);
	if (new Set(references).size < references.length) problems.push("a payment was sent twice");
	return problems;
}

/** Nothing stays reserved, and what was deposited counts as spent, once. */
async function judgeSpend(
	lane: BridgeLane,
	{ entries, records }: { entries: readonly BridgeEntry[]; records: readonly any[] },
): Promise<string[]> {
	const rows = await lane.db.query<{ id: string; open: string; spent: string }>(
		`select i.request->>'bridgeId' as id,
			coalesce(sum(case when e.kind in ('reserve', 'unspend', 'unrelease') then e.amount_raw
				else -e.amount_raw end), 0)::text as open,
			coalesce(sum(case e.kind when 'spend' then e.amount_raw when 'unspend' then -e.amount_raw
				else 0 end), 0)::text as spent
		from wallets.intent i join wallets.spend_entry e on e.intent_id = i.id
		where i.request->>'bridgeId' = any($1::text[]) group by 1`,
		[records.map(({ id }) => id)],
	);
	return records.flatMap((record) => {
		const { open = "0", spent = "0" } = rows.find(({ id }) => id === record.id) ?? {};
		const entry = entryOf(entries, record);
		const deposited = entry?.deposits[0]?.raw ?? 0n;
		// What was signed and kept back counts for the day.
		const isRight = entry?.permit ? BigInt(spent) >= deposited : BigInt(spent) === deposited;
		return [
			...(open === "0" ? [] : [`${record.id}: ${open} are reserved for ever`]),
			...(isRight ? [] : [`${record.id}: ${deposited} were deposited, ${spent} count`]),
		];
	});
}
