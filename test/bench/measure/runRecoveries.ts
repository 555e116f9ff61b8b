import { expectedRows } from "#test/bench/chain/workload.ts";
import { assertComplete } from "#test/bench/measure/assertComplete.ts";
import { openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import {
	openYoungService,
	type YoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { untilCaughtUp } from "#test/bench/measure/untilCaughtUp.ts";

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
