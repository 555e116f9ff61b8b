import { expect, test } from "bun:test";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";
import { byDistance } from "#plugins/chain-scanner/range/byDistance.ts";
import type { LaneSource, RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";

test("within reach of reorgs a lane asks as a live one, below it and for a first look as catch-up", async () => {
	const asked: string[] = [];
	const rpcs = new Map<Rpc, RpcPurpose>();
	const rpcFor = (purpose: RpcPurpose) => {
		const rpc = {} as Rpc;
		rpcs.set(rpc, purpose);
		return rpc;
	};
	const source = byDistance({ rpcFor }, (rpc): LaneSource => {
		return {
			kind: "mint",
			async sample() {
				asked.push(`sample ${rpcs.get(rpc)}`);
				return null;
			},
			async read() {
				asked.push(`read ${rpcs.get(rpc)}`);
				return {} as RangeReading;
			},
		};
	});
	const { signal } = new AbortController();
	await source.read({ from: 9, to: 9 }, { signal, unsettledFrom: 5, settledBy: null });
	await source.read({ from: 9, to: 9 }, { signal, unsettledFrom: 5 });
	await source.read({ from: 1, to: 4 }, { signal, unsettledFrom: 5, settledBy: 8 });
	await source.sample?.({ from: 1, to: 4 }, signal);
	expect(asked).toEqual(["read live", "read live", "read catch_up", "sample catch_up"]);
});
