// Makes syncs over a real database and a fake provider, for tests.

import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox, type Frame } from "#core/outbox.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { NewJob } from "#core/queue.ts";
import { collectionTopic } from "#plugins/market-index/model.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import type { MergeEvents } from "#plugins/market-index/pace.ts";
import { createSyncing } from "#plugins/market-index/sync/createSyncing.ts";
import { detailOf, statsOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { contractOf, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";

export type SyncLab = ReturnType<typeof createSyncLab>;

/** A row of `collection` and one of `sync`, as the database has them. */
type LabRow = Record<string, unknown>;

let contracts = 0x5000;

/** Makes syncs over a real database and outbox, a held clock, and a provider that a test drives. */
export function createSyncLab(db: Database, { isOn = true }: { isOn?: boolean } = {}) {
	const chains = createChainRegistry(builtinChains);
	const fake = createFakeProvider({ isOn });
	const prices = fakePrices(chains);
	const time = { nowMs: NOW_MS };
	const clock = { nowMs: () => time.nowMs };
	const outbox = createOutbox({ db, bus: inProcessBus(silentLog), clock });
	const queued: NewJob[] = [];
	const merged: Parameters<MergeEvents>[] = [];
	const said: string[] = [];
	const say = (message: string) => void said.push(message);
	const log = { ...silentLog, warn: say, error: say };
	const queue = {
		add: async (_tx: unknown, added: readonly NewJob[]) => void queued.push(...added),
	};
	const access: ChainAccess = { chain: ethereum, rpcFor: () => ({}) as Rpc, headUrls: [] };
	const core = { db, clock, log, queue, outbox, chains, indexed: [access] };
	const merge: MergeEvents = async (...given) => void merged.push(given);
	/** The time until which lanes hold everything; null while they are behind, as in most tests. */
	const level: { until: Date | null } = { until: null };
	const heldUntil = async () => level.until;
	/** A rate limit in the middle of a list ends when the sync waits for it. */
	const wait = async (ms: number) => {
		time.nowMs += ms;
		waited.push(ms);
	};
	const waited: number[] = [];
	const options = { core, provider: fake.provider, prices, merge, heldUntil, wait };
	/** Another process: the same database, provider and clock. */
	const another = () => createSyncing(options);
	const syncing = another();
	const { signal } = new AbortController();

	return {
		fake,
		prices,
		time,
		level,
		waited,
		merged,
		said,
		core,
		another,
		...syncing,
		/** Changes of a book that the stream told at once. */
		applyOrderPush: (...pushes: OrderPush[]) => syncing.applyOrderPushes(pushes),
		/** Jobs that were put in line, in order. */
		queued,
		/** A collection that a lane saw a minute ago. */
		register: (given: Registering = {}) => register(db, time.nowMs, given),
		/** The provider knows this contract, its stats, and nothing for sale. */
		know(contract: Address, slug: string) {
			const { answers } = fake;
			answers.slugOf = async () => slug;
			answers.collection = async () => detailOf(contract, { slug, name: "Cats" });
			answers.stats = async () => statsOf();
		},
		/** Runs the full sync of a collection as the queue would. */
		async sync(collectionId: number, given: { signal?: AbortSignal } = {}) {
			const task = syncing.tasks.find(({ name }) => name === "market-index.full-sync");
			await task?.run({ collectionId }, { signal, ...given });
		},
		async tick(name: string) {
			const job = syncing.jobs.find((one) => one.name === `market-index.${name}`);
			if (!job) throw new Error(`no job ${name}`);
			await job.run({ signal });
		},
		...lookInto(db, { outbox, queued, merged }),
	};
}

type Looking = {
	outbox: ReturnType<typeof createOutbox>;
	queued: NewJob[];
	merged: Parameters<MergeEvents>[];
};

function lookInto(db: Database, { outbox, queued, merged }: Looking) {
	return {
		async row(id: number): Promise<LabRow> {
			const [row] = await db.query<LabRow>(
				`select c.*, s.*, c.chain_id from market_index.collection as c
				left join market_index.sync as s on s.collection_id = c.id where c.id = $1`,
				[id],
			);
			return row ?? {};
		},
		set: (id: number, assignments: string) =>
			db.execute(`update market_index.sync set ${assignments} where collection_id = $1`, [id]),
		async frames(address: Address): Promise<Frame[]> {
			const { batches } = await outbox.read(collectionTopic(ethereum.slug, address), 0);
			return batches.flatMap((batch) => batch.frames);
		},
		/** Forgets every collection, so that ticks find only what a test registers. */
		async clear() {
			queued.length = 0;
			merged.length = 0;
			await db.execute(
				`truncate market_index.collection, market_index.sync, market_index.former_slug,
					market_index.market_order, market_index.floor_snapshot,
					market_index.chain_span, market_index.unconfirmed, core.stream_head,
					core.stream_frame`,
			);
		},
	};
}

type Registering = { address?: Address; chainId?: number };

async function register(db: Database, nowMs: number, given: Registering) {
	const { address = contractOf(++contracts), chainId = ethereum.id } = given;
	const [row] = await db.query<{ id: number }>(
		`insert into market_index.collection (chain_id, address, standard, slug, registered_at)
		values ($1, $2, 'erc721', $3, $4) returning id`,
		[chainId, bytesOf(address), address, new Date(nowMs - 60_000)],
	);
	return { id: row?.id ?? -1, chainId, address };
}
