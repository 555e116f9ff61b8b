import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Chain, createChainRegistry } from "#core/chain/Chain.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox, type Frame } from "#core/outbox.ts";
import type { NewJob } from "#core/queue.ts";
import { type ApplierOptions, createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import { NOW_MS, wholeSpans } from "#plugins/market-index/testing/marketFixture.ts";
import { fakePrices } from "#test/harness/fakes.ts";

export type ApplierLab = ReturnType<typeof createApplierLab>;

/** The applier over a real database and the real outbox; jobs are kept in a list. */
export function createApplierLab(db: Database) {
	const clock = { nowMs: () => NOW_MS };
	const outbox = createOutbox({ db, bus: inProcessBus(silentLog), clock });
	const jobs: NewJob[] = [];
	const prices = fakePrices();
	const hooks = { onJobs: async (_tx: Tx) => {} };
	const options = {
		chains: createChainRegistry(builtinChains),
		clock,
		outbox,
		partitions: partitionsOf(db),
		prices,
		spansOf: async () => wholeSpans(NOW_MS),
		queue: {
			async add(tx: Tx, added: readonly NewJob[]) {
				jobs.push(...added);
				await hooks.onJobs(tx);
			},
		},
	} satisfies ApplierOptions;
	const applier = createApplier(options);
	const reverter = createReverter(options);
	return {
		db,
		jobs,
		prices,
		hooks,
		options,
		applier,
		/** One lane run: the chain's lock, and then the batch. */
		async apply(chain: Chain, events: readonly NewEvent[], { live = false } = {}) {
			await db.transaction(async (tx) => {
				await tx.execute("select pg_advisory_xact_lock($1)", [chain.id]);
				await applier(tx, { chainId: chain.id, live, events });
			});
		},
		/** The chain forked: takes back everything above a block. */
		async revert(chain: Chain, forkBlock: number) {
			await db.transaction((tx) => reverter(tx, { chainId: chain.id, forkBlock }));
		},
		/** Every frame of a topic so far, oldest first. */
		async frames(topic: string): Promise<Frame[]> {
			const { batches } = await outbox.read(topic, 0);
			return batches.flatMap((batch) => batch.frames);
		},
		/** Forgets all that was stored. */
		async clear() {
			jobs.length = 0;
			await db.execute(
				`truncate market_index.collection, market_index.event, market_index.rollup_minute,
					market_index.rollup_hour, market_index.rollup_day, market_index.former_slug,
					market_index.currency, market_index.sync, market_index.unconfirmed,
					market_index.wash_sale, market_index.wash_hour,
					core.stream_head, core.stream_frame`,
			);
		},
	};
}
