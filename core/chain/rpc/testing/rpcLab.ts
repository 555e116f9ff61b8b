// Makes a chain's RPC client over endpoints that a test decides.

import type { Chain } from "#core/chain/Chain.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import {
	type Rpc,
	type RpcCall,
	type RpcObserver,
	type RpcOptions,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { rpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import { fakeHeader, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

/** An endpoint in memory: its answers, its duration, and its questions. */
export type LabEndpoint = {
	chainId: number;
	head: number;
	durationMs: number;
	/** True: nothing answers; a number: its retry time; `paced`: a long queue. */
	down: boolean | number | "paced";
	/** Changes an answer before it is sent. */
	tamper(call: RpcCall, answer: unknown): unknown;
	asked: string[];
};

/** Makes several endpoints behind `chainRpc`, on a clock that only the lab moves. */
export function rpcLab(chain: Chain, count: number, options: { quorum?: number } = {}) {
	const time = { nowMs: 1_000_000 };
	const metrics = createMetrics();
	const warnings: unknown[] = [];
	const endpoints = Array.from({ length: count }, (): LabEndpoint => {
		return {
			chainId: chain.id,
			head: 100,
			durationMs: 50,
			down: false,
			tamper: (_, answer) => answer,
			asked: [],
		};
	});

	function answer(endpoint: LabEndpoint, { method, params }: RpcCall): unknown {
		if (method === "eth_chainId") return hex(endpoint.chainId);
		if (method === "eth_blockNumber") return hex(endpoint.head);
		const number = params[0] === "latest" ? endpoint.head : Number(params[0]);
		return number > endpoint.head ? null : fakeHeader(number);
	}

	function open(endpoint: LabEndpoint, observer: RpcObserver): Rpc {
		async function batch(calls: readonly RpcCall[], { purpose = "other" }: RpcOptions = {}) {
			const ended = observer.began(calls, purpose);
			endpoint.asked.push(...calls.map(({ method, params }) => `${method} ${params[0] ?? ""}`));
			time.nowMs += endpoint.durationMs;
			if (endpoint.down !== false) {
				ended("transport", 0);
				const isAside = typeof endpoint.down === "number";
				const aside = isAside ? { retryAfterMs: endpoint.down } : {};
				throw rpcFault.transport({ meta: { ...aside, paced: endpoint.down === "paced" } });
			}
			ended("ok", 2);
			return calls.map((call) => endpoint.tamper(call, answer(endpoint, call)));
		}
		return {
			call: async (call, given) => (await batch([call], given))[0],
			batch,
			settle: async (calls, given) =>
				(await batch(calls, given)).map((result) => ({ kind: "result", result })),
			distrust: () => {},
			stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
		};
	}

	const rpc = chainRpc({
		chain,
		endpoints: endpoints.map((endpoint, index) => ({
			name: `node${index}`,
			open: (observer) => open(endpoint, observer),
		})),
		clock: { nowMs: () => time.nowMs },
		log: { ...silentLog, warn: (_, context) => warnings.push(context) },
		metrics: rpcMetrics(metrics),
		...options,
	});
	return {
		rpc,
		endpoints,
		time,
		warnings,
		/** Returns which endpoints were asked this since the last call. */
		askedFor(what: string): number[] {
			const found = [...endpoints.keys()].filter((index) => endpoints[index]?.asked.includes(what));
			for (const endpoint of endpoints) endpoint.asked.length = 0;
			return found;
		},
		/** Returns the lines of a metric: labels and value. */
		lines: async (name: string) => {
			const { body } = await metrics.expose();
			const prefix = `tapeline_${name}{`;
			const found = body.split("\n").filter((line) => line.startsWith(prefix));
			return found.map((line) => line.slice(prefix.length - 1));
		},
		count: async (kind: string, index: number) => {
			const labels = `chain="${chain.slug}",endpoint="node${index}",kind="${kind}"`;
			const { body } = await metrics.expose();
			const line = body.split("\n").find((text) => text.includes(`inconsistency_total{${labels}}`));
			return Number(line?.split(" ").at(-1) ?? 0);
		},
	};
}
