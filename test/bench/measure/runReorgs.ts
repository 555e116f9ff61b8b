// Measures the head of a chain: live blocks, replaced blocks, and recovery from kills.

import { startYoungChain } from "#test/bench/chain/startNode.ts";
import { expectedRows } from "#test/bench/chain/workload.ts";
import { assertComplete, openIndexProbe, untilCaughtUp } from "#test/bench/measure/indexProbe.ts";
import {
	type DelayOptions,
	type Delays,
	type EventStream,
	measureDelays,
	openEventStream,
	openYoungService,
	type YoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { startBareHead } from "#test/bench/reference/runFloor.ts";

export type Recovery = {
	/** From the kill until the service is ready and has the newest block. */
	seconds: number;
	/** From the kill until it reports that it is ready, with the newest block or not. */
	readySeconds: number;
	/** True where the service ended too and had to be started again. */
	serviceEnded: boolean;
};

export type Recoveries = { service: readonly Recovery[]; server: readonly Recovery[] };

const TURNS = 3;
/** Mined before each kill, so that it comes while the service works, and after it. */
const BLOCKS_BEFORE = 3;
const BLOCKS_AFTER = 10;
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

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

/** Measures the service at the head of a young chain, with one subscriber of one collection. */
export async function runLive(
	options: YoungServiceOptions & Pick<DelayOptions, "what">,
): Promise<Delays> {
	const { scope, workload, what } = options;
	const young = await openYoungService(options);
	const { node, emitters } = young.chain;
	const streamUrls = [young.streamUrl()];
	const of = what ? { what } : {};
	const measured = measureDelays({ scope, node, emitters, workload, streamUrls, ...of });
	const [delays] = await Promise.race([measured, young.service().failed]);
	await young.close();
	if (!delays) throw new Error("nothing was heard");
	return delays;
}

/** Measures the same blocks through the bare script. */
export async function runBareLive({ scope, workload }: YoungServiceOptions): Promise<Delays> {
	const { node, emitters, stop } = await startYoungChain(scope, workload);
	const bare = await startBareHead(scope, node);
	const streamUrls = [bare.url];
	const [delays] = await measureDelays({ scope, node, emitters, workload, streamUrls });
	await bare.stop();
	await stop();
	if (!delays) throw new Error("nothing was heard");
	return delays;
}

/** Kills the service, then its database's first process, as a machine would, a few times each. */
export async function runRecoveries(options: YoungServiceOptions): Promise<Recoveries> {
	const young = await openYoungService(options);
	const service: Recovery[] = [];
	const server: Recovery[] = [];
	for (let turn = 0; turn < TURNS; turn++) service.push(await killService(young));
	for (let turn = 0; turn < TURNS; turn++) server.push(await killServer(young));
	const probe = await openIndexProbe(young.data.socketDir);
	await assertComplete(probe, expectedRows({ ...options.workload, blocks: young.chain.mined() }));
	await probe.close();
	await young.close();
	return { service, server };
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

/** Kills the service; the next one starts as soon as the last is gone, as by a fast supervisor. */
async function killService(young: YoungService): Promise<Recovery> {
	await young.chain.mine(BLOCKS_BEFORE);
	const killedAtMs = Date.now();
	await young.service().kill();
	const service = young.startAgain();
	await young.chain.mine(BLOCKS_AFTER);
	const times = await Promise.race([untilBack(young, killedAtMs), service.failed]);
	return { ...times, serviceEnded: true };
}

async function untilBack(young: YoungService, killedAtMs: number) {
	const since = () => (Date.now() - killedAtMs) / 1_000;
	const [readySeconds] = await Promise.all([
		untilReady(young).then(since),
		untilCaughtUp(young.chain.node, young.data.socketDir),
	]);
	// Asked again: it may have been ready before it noticed, or have failed since.
	await untilReady(young);
	return { seconds: since(), readySeconds };
}

async function untilReady(young: YoungService): Promise<void> {
	const deadlineMs = performance.now() + READY_TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		const answer = await fetch(`${young.service().url}/readyz`).catch(() => null);
		await answer?.body?.cancel();
		if (answer?.status === 200) return;
		await Bun.sleep(POLL_MS);
	}
	throw new Error("the service was not ready again");
}

async function killServer(young: YoungService): Promise<Recovery> {
	await young.chain.mine(BLOCKS_BEFORE);
	const pid = young.data.postmasterPid();
	if (pid === undefined) throw new Error("there is no server to kill");
	const killedAtMs = Date.now();
	process.kill(pid, "SIGKILL");
	await young.chain.mine(BLOCKS_AFTER);
	let serviceEnded = false;
	const ended = young.service().failed.catch((error) => {
		process.stderr.write(`${error}\n`);
		serviceEnded = true;
		return young.startAgain().failed;
	});
	const times = await Promise.race([untilBack(young, killedAtMs), ended]);
	return { ...times, serviceEnded };
}
