import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { NewJob } from "#core/queue.ts";
import { base, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

/** What a node says to calls, by selector; a function may throw, and no entry is a revert. */
type Answers = Record<string, string | (() => string)>;

/** The runtime as metadata tasks see it, with nodes that answer what a test says. */
export function createTaskLab(db: Database) {
	const metrics = createMetrics({ processMetrics: false });
	const lab = {
		answers: {} as Answers,
		jobs: [] as NewJob[],
		said: [] as string[],
		/** Called whenever jobs are put in line, before they are. */
		onQueued: async () => {},
		away: false,
		signal: new AbortController().signal,
	};
	const outcomeOf = ({ params }: RpcCall): RpcOutcome => {
		const [{ data }] = params as [{ data: string }];
		const answer = lab.answers[data];
		if (answer === undefined) {
			const fault = rpcFault.refused({ detail: "execution reverted" });
			return { kind: "fault", fault };
		}
		return { kind: "result", result: typeof answer === "string" ? answer : answer() };
	};
	const rpc: Pick<Rpc, "settle"> = { settle: async (calls) => calls.map(outcomeOf) };
	const access = (chain: typeof ethereum) => ({ chain, rpcFor: () => rpc as Rpc, headUrls: [] });
	const core: Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics"> = {
		db,
		get indexed() {
			return lab.away ? [] : [access(ethereum), access(base)];
		},
		queue: {
			async add(_tx, jobs) {
				if (jobs.length > 0) await lab.onQueued();
				lab.jobs.push(...jobs);
			},
		},
		clock: { nowMs: () => NOW_MS },
		metrics,
		log: {
			...silentLog,
			info: (message) => lab.said.push(message),
			error: (message) => lab.said.push(message),
		},
	};
	return { lab, core, metrics };
}
