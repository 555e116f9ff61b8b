import { expectedRows } from "#test/bench/chain/workload.ts";
import { assertComplete } from "#test/bench/measure/assertComplete.ts";
import { openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import type { Delays } from "#test/bench/measure/measureDelays.ts";
import { type EventStream, openEventStream } from "#test/bench/measure/openEventStream.ts";
import {
	openYoungService,
	type YoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";

const DEPTH = 3;
const TURNS_UNCOUNTED = 3;
const TURNS_COUNTED = 20;
const PAUSE_MS = 60;

/**
 * Replaces the newest blocks, all of them sales of one collection, by blocks with other sales. A
 * turn ends when a subscriber got the retraction of each old sale, and each new one.
 */
export async function runReorgs(options: YoungServiceOptions): Promise<Delays> {
	const { scope, workload } = options;
	const young = await openYoungService(options);
	const stream = await openEventStream(scope, young.streamUrl());
	const delaysMs: number[] = [];
	const fromAnswerMs: number[] = [];
	for (let turn = 0; turn < TURNS_UNCOUNTED + TURNS_COUNTED; turn++) {
		const once = reorgOnce(young, stream, workload.salesPerCollection);
		const { askedMs, answeredMs, toldMs } = await Promise.race([once, young.service().failed]);
		if (turn >= TURNS_UNCOUNTED) {
			delaysMs.push(toldMs - askedMs);
			fromAnswerMs.push(toldMs - answeredMs);
		}
		await Bun.sleep(PAUSE_MS);
	}
	await stream.close();
	const probe = await openIndexProbe(young.data.socketDir);
	const salesAlone = (TURNS_UNCOUNTED + TURNS_COUNTED) * DEPTH * workload.salesPerCollection;
	await assertComplete(probe, expectedRows({ ...workload, blocks: young.chain.mined() }), {
		salesAlone,
	});
	await probe.close();
	await young.close();
	return { delaysMs, fromAnswerMs };
}

async function reorgOnce({ chain }: YoungService, stream: EventStream, salesPerBlock: number) {
	const { node, emitters } = chain;
	const collection = emitters.collections[0];
	if (!collection) throw new Error("the workload has no collection");
	const sales = DEPTH * salesPerBlock;
	const seen = stream.next(sales);
	for (let block = 0; block < DEPTH; block++) {
		await node.batch(emitters.saleCalls(collection, salesPerBlock));
		await node.call("evm_mine");
	}
	const { told: old } = await seen;
	const replacing = emitters.otherSales(collection, { count: salesPerBlock, transactions: DEPTH });
	const transactions = replacing.map(({ params = [] }, block) => [params[0], block]);
	const corrected = stream.next(2 * sales);
	const askedMs = performance.now();
	await node.call("anvil_reorg", [DEPTH, transactions]);
	const answeredMs = performance.now();
	const { told, atMs: toldMs } = await corrected;
	mustCorrect(
		old.map(({ id }) => id),
		told,
	);
	return { askedMs, answeredMs, toldMs };
}

/** Throws unless each old sale was retracted once, and as many others came. */
function mustCorrect(old: readonly string[], told: readonly { id: string; retracted: boolean }[]) {
	const idsOf = (retracted: boolean) =>
		told.filter((event) => event.retracted === retracted).map(({ id }) => id);
	const taken = idsOf(true);
	const fresh = new Set(idsOf(false));
	const isWhole = Bun.deepEquals(taken.toSorted(), old.toSorted());
	if (!isWhole || fresh.size !== old.length || old.some((id) => fresh.has(id))) {
		throw new Error(`${taken.length} of ${old.length} sales taken back, ${fresh.size} told anew`);
	}
}
