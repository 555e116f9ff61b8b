// Makes a small seeded world of accounts that trade, with forks, and tells the index of it.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { TokenMove } from "#plugins/chain-scanner/contract.ts";
import { createApplierLab } from "#plugins/market-index/apply/testing/applierLab.ts";
import { PROVIDER_LOG_INDEX } from "#plugins/market-index/event/MarketEvent.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { createOwnership } from "#plugins/market-index/owners/createOwnership.ts";
import {
	base,
	ETH,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";

export type WorldContract = {
	chain: Chain;
	address: Address;
	standard: "erc721" | "erc1155";
	/** Whether its owners are known, are being read, or are nobody's business. */
	state: "walked" | "walking" | "not_walked" | "hidden";
	floorWei: bigint | null;
};

export type WorldEvent = Required<NewEvent> & { chain: Chain };

/** What is true at the end, for an oracle that knows nothing of the index. */
export type World = {
	accounts: readonly Address[];
	contracts: readonly WorldContract[];
	events: readonly WorldEvent[];
	moves: readonly TokenMove[];
};

type Dice = ReturnType<typeof createDice>;
type Told = { events: WorldEvent[]; moves: (TokenMove & { chain: Chain })[] };
type Drawn = Told & { accounts: readonly Address[]; dice: Dice; blockHash: Hex; block: number };

const STATES = ["walked", "walked", "walking", "not_walked", "hidden"] as const;
const BLOCKS = 12;
const TOKENS = 4;
/** Blocks of a seed: those of the next one are all above them, so a fork is of one seed alone. */
const BLOCKS_APART = 1_000;

/** Makes the teller of worlds, one after the other, to one index. */
export function createAccountWorlds(db: Database) {
	const lab = createApplierLab(db);
	const clock = { nowMs: () => NOW_MS };
	const keeper = createOwnership(db, { watchedMax: 1e6, clock, queue: { add: async () => {} } });
	let told = 0;
	const tell = async (chain: Chain, { events, moves }: Told, blocks: readonly [number, number]) => {
		await lab.apply(chain, eventsOf(chain, { events }));
		const watched = await keeper.watched(chain.id);
		const own = moves.filter((one) => one.chain === chain);
		const [fromBlock, toBlock] = blocks;
		const span = { chainId: chain.id, fromBlock, toBlock, watched, moves: own };
		const unsettledFrom = fromBlock - BLOCKS_APART / 2;
		await db.transaction((tx) =>
			keeper.moved(tx, { ...span, unsettledFrom, pruneBelow: 0, inOrder: true }),
		);
	};
	return async function tellWorld(seed: number): Promise<World> {
		const dice = createDice(seed);
		const start = ++told * BLOCKS_APART;
		const accounts = Array.from({ length: 3 }, (_, at) => addressOf(dice, `a${at}`));
		const contracts = contractsOf(dice);
		const kept: Told = { events: [], moves: [] };
		const both = [ethereum, base];
		const mine = (chains: readonly Chain[], from: number, { until = from, mints = false } = {}) => {
			const mined: Told = { events: [], moves: [] };
			for (let block = from; block <= until; block++) {
				const drawn = { ...mined, accounts, dice, blockHash: wordOf(dice, "b"), block };
				for (const contract of contracts.filter((one) => chains.includes(one.chain))) {
					const before = [...kept.moves, ...mined.moves];
					if (mints) mint(drawn, contract, timeOf(0));
					else if (dice(3) === 0) happen(drawn, contract, before, timeOf(block - start));
				}
			}
			kept.events.push(...mined.events);
			kept.moves.push(...mined.moves);
			return mined;
		};
		const first = mine(both, start, { mints: true });
		for (const chain of both) {
			await lab.apply(chain, eventsOf(chain, first));
			await watch({ db, keeper, chain, start }, { contracts, moves: first.moves });
		}
		const head = start + BLOCKS;
		const rest = mine(both, start + 1, { until: head });
		for (const chain of both) await tell(chain, rest, [start + 1, head]);
		const forked = dice(2) === 0 ? ethereum : base;
		const forkBlock = start + dice(BLOCKS + 1);
		await lab.revert(forked, forkBlock);
		await db.transaction((tx) => keeper.revert(tx, { chainId: forked.id, forkBlock }));
		leave(kept, forked, forkBlock);
		for (const chain of both) {
			const from = chain === forked ? forkBlock + 1 : head + 1;
			await tell(chain, mine([chain], from, { until: head + 1 }), [from, head + 1]);
		}
		await price(db, contracts);
		return { accounts, contracts, ...kept };
	};
}

function eventsOf(chain: Chain, { events }: Pick<Told, "events">): NewEvent[] {
	return events.filter((one) => one.chain === chain).map(({ chain: _, ...event }) => event);
}

/** Walks the contracts that are to be walked, up to the first block of the world. */
async function watch(
	to: {
		db: Database;
		keeper: ReturnType<typeof createOwnership>;
		chain: Chain;
		start: number;
	},
	{ contracts, moves }: { contracts: readonly WorldContract[]; moves: readonly TokenMove[] },
): Promise<void> {
	const { db, keeper, chain, start } = to;
	const kept = contracts.filter((one) => one.chain === chain && one.state.startsWith("walk"));
	const wanted = await db.query<{ id: number }>(
		"select id from market_index.collection where chain_id = $1 and address = any($2::bytea[])",
		[chain.id, kept.map(({ address }) => bytesOf(address))],
	);
	await db.transaction(async (tx) => {
		const ids = wanted.map(({ id }) => id);
		await keeper.watch(tx, { chainId: chain.id, wanted: ids, cursor: start });
		const sets = await tx.query<{ id: number; contract: Address }>(
			`select set_id as id, '0x' || encode(address, 'hex') as contract
			from market_index.ownership where collection_id = any($1::int4[])`,
			[ids],
		);
		for (const { id, contract } of sets) {
			if (kept.find(({ address }) => address === contract)?.state === "walking") continue;
			const walk = { id, contract, nextBlock: null, endBlock: start };
			const step = { walk, fromBlock: 0, toBlock: start, moves, unsettledFrom: start };
			await keeper.walked(tx, { chainId: chain.id, ...step });
		}
	});
}

async function price(db: Database, contracts: readonly WorldContract[]): Promise<void> {
	await db.execute(
		`update market_index.collection as c set floor_native = given.floor, floor_at = $4,
			excluded = given.hidden
		from unnest($1::bytea[], $2::numeric[], $3::boolean[]) as given (address, floor, hidden)
		where c.address = given.address`,
		[
			contracts.map(({ address }) => bytesOf(address)),
			contracts.map(({ floorWei }) => floorWei),
			contracts.map(({ state }) => state === "hidden"),
			new Date(NOW_MS),
		],
	);
}

function contractsOf(dice: Dice): WorldContract[] {
	return [ethereum, base].flatMap((chain) =>
		STATES.map((state, at) => ({
			chain,
			address: addressOf(dice, `c${at}`),
			standard: at === 1 ? ("erc1155" as const) : ("erc721" as const),
			state,
			floorWei: dice(4) === 0 ? null : BigInt(1 + dice(1_000)) * (ETH / 1_000n),
		})),
	);
}

/** Every token of a contract comes to be, some for a price. */
function mint(drawn: Drawn, contract: WorldContract, occurredAtMs: number): void {
	const { dice, accounts } = drawn;
	for (let token = 0; token < TOKENS; token++) {
		const quantity = contract.standard === "erc721" ? 1n : BigInt(1 + dice(6));
		const to = pick(dice, accounts);
		const totalRaw = [0n, priceOf(dice), null][dice(3)] ?? null;
		const given = { tokenId: BigInt(token), quantity, from: ZERO_ADDRESS, to, totalRaw };
		put(drawn, contract, { kind: "mint", venue: null, occurredAtMs, ...given });
	}
}

/** One of all that may happen to a contract's token. */
function happen(
	drawn: Drawn,
	contract: WorldContract,
	before: readonly TokenMove[],
	occurredAtMs: number,
): void {
	const { dice, accounts } = drawn;
	const tokenId = BigInt(dice(TOKENS));
	const to = pick(dice, accounts);
	if (dice(6) === 0) {
		const from = pick(dice, accounts);
		const reason = from === to ? ("self_trade" as const) : ("duplicate" as const);
		put(drawn, contract, {
			...{ kind: "sale", tokenId, from, to, totalRaw: priceOf(dice), occurredAtMs },
			...{ accepted: false, reason },
		});
		return;
	}
	const owners = [...ownersOf(contract, before, tokenId)].filter(([, units]) => units > 0n);
	const [from, held] = owners[dice(Math.max(1, owners.length))] ?? [];
	if (from === undefined || held === undefined || from === to || from === ZERO_ADDRESS) return;
	const quantity = 1n + BigInt(dice(Number(held)));
	const given = { tokenId, quantity, from, to, occurredAtMs };
	if (dice(3) === 0) {
		const isTold = dice(2) === 0;
		put(drawn, contract, { kind: "transfer", ...given }, { isTold });
		return;
	}
	const currency = dice(5) === 0 ? STRANGE_COIN : ZERO_ADDRESS;
	const reason = dice(8) === 0 ? ("price_unproven" as const) : null;
	put(drawn, contract, { ...given, kind: "sale", totalRaw: priceOf(dice), currency, reason });
	// The provider tells the same change of hands a second time.
	if (dice(4) > 0) return;
	const sale = drawn.events.at(-1);
	if (!sale) return;
	const { transactionHash } = sale;
	put(drawn, contract, { kind: "transfer", ...given, transactionHash }, { isMove: false });
}

function put(
	drawn: Drawn,
	contract: WorldContract,
	given: Partial<WorldEvent> & Pick<WorldEvent, "kind">,
	{ isTold = true, isMove = given.accepted !== false } = {},
): void {
	const { block: blockNumber, blockHash, dice } = drawn;
	const { chain, address, standard } = contract;
	const event = saleOf(address, {
		...{ blockNumber, blockHash, transactionHash: wordOf(dice, "f"), standard },
		...given,
	});
	if (event.kind === "transfer") {
		event.logIndex += PROVIDER_LOG_INDEX;
		Object.assign(event, { onchainVerified: false, totalRaw: null, currency: null, venue: null });
	}
	if (event.totalRaw === null) event.currency = null;
	if (isTold) drawn.events.push({ ...event, chain });
	if (!isMove) return;
	const { from, to, tokenId, quantity, subIndex } = event;
	const logIndex = event.logIndex % PROVIDER_LOG_INDEX;
	const move = { contract: address, standard, from, to, tokenId, lastTokenId: tokenId, quantity };
	drawn.moves.push({ ...move, chain, blockNumber, blockHash, logIndex, subIndex });
}

/** Takes out what left the chain; what only the provider told stays. */
function leave(kept: Told, chain: Chain, forkBlock: number): void {
	const stays = (one: { chain: Chain; blockNumber: number }) =>
		one.chain !== chain || one.blockNumber <= forkBlock;
	kept.events = kept.events.filter((one) => stays(one) || !one.onchainVerified);
	kept.moves = kept.moves.filter(stays);
}

/** Returns who holds how many units of a token, by all of its moves. */
export function ownersOf(
	{ address }: Pick<WorldContract, "address">,
	moves: readonly TokenMove[],
	tokenId: bigint,
): ReadonlyMap<Address, bigint> {
	const units = new Map<Address, bigint>();
	for (const move of moves) {
		if (move.contract !== address || move.tokenId !== tokenId) continue;
		units.set(move.from, (units.get(move.from) ?? 0n) - move.quantity);
		units.set(move.to, (units.get(move.to) ?? 0n) + move.quantity);
	}
	return units;
}

function timeOf(hours: number): number {
	return NOW_MS - 20 * DAY_MS + hours * HOUR_MS;
}

function priceOf(dice: Dice): bigint {
	return BigInt(1 + dice(5_000)) * (ETH / 1_000n) + BigInt(dice(7));
}

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
	const item = items[dice(items.length)];
	if (item === undefined) throw new Error("nothing to pick from");
	return item;
}

function addressOf(dice: Dice, name: string): Address {
	return `0x${bytesFrom(dice, name).slice(0, 40)}`;
}

function wordOf(dice: Dice, name: string): Hex {
	return `0xf${bytesFrom(dice, name).slice(1)}`;
}

function bytesFrom(dice: Dice, name: string): string {
	const text = `${name} ${dice(2 ** 32)} ${dice(2 ** 32)} ${dice(2 ** 32)}`;
	return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
