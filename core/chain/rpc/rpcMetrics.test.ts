import { describe, expect, test } from "bun:test";
import { rpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import { createMetrics } from "#core/metrics.ts";

describe("rpcMetrics", () => {
	const logs = { method: "eth_getLogs" };
	const view = { method: "eth_call" };

	async function linesOf(metrics: ReturnType<typeof createMetrics>, name: string) {
		const { body } = await metrics.expose();
		return body.split("\n").filter((line) => line.startsWith(`tapeline_${name}{`));
	}

	test("each call of a batch is counted by chain, method and purpose", async () => {
		const metrics = createMetrics();
		const { called, received } = rpcMetrics(metrics);
		called("base", [logs, view, view], "catch_up");
		called("base", [logs], "live");
		received("base", { purpose: "catch_up", bytes: 700 });
		received("base", { purpose: "catch_up", bytes: 0 });
		expect(await linesOf(metrics, "rpc_calls_total")).toEqual([
			'tapeline_rpc_calls_total{chain="base",method="eth_getLogs",purpose="catch_up"} 1',
			'tapeline_rpc_calls_total{chain="base",method="eth_call",purpose="catch_up"} 2',
			'tapeline_rpc_calls_total{chain="base",method="eth_getLogs",purpose="live"} 1',
		]);
		expect(await linesOf(metrics, "rpc_received_bytes_total")).toEqual([
			'tapeline_rpc_received_bytes_total{chain="base",purpose="catch_up"} 700',
		]);
	});

	test("the cost of calls is counted by the operator's prices, `*` for any other method", async () => {
		const metrics = createMetrics();
		const { called } = rpcMetrics(metrics, { eth_getLogs: 60, eth_chainId: 0, "*": 20 });
		called("base", [logs, view, view, { method: "eth_chainId" }, { method: "toString" }], "live");
		expect(await linesOf(metrics, "rpc_compute_units_total")).toEqual([
			'tapeline_rpc_compute_units_total{chain="base",purpose="live"} 120',
		]);
	});

	test("without configured prices the cost of calls is not exported, instead of zero", async () => {
		const metrics = createMetrics();
		rpcMetrics(metrics).called("base", [logs], "live");
		expect((await metrics.expose()).body).not.toContain("compute_units");
	});
});
