import { expect, test } from "bun:test";
import { logsDigest } from "#plugins/chain-scanner/range/logsDigest.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

async function logsOf(options?: { timestamps: boolean }) {
	const chain = createFakeChain(options);
	chain.mine([{ logs: [mintLog(1), mintLog(2)] }]);
	chain.mine([{ logs: [mintLog(3)] }]);
	const params = [{ fromBlock: "0x0", toBlock: "0x2", topics: [] }];
	return parseLogs(await chain.rpc.call({ method: "eth_getLogs", params }), { from: 0, to: 2 });
}

test("[ING-14] honest nodes agree, whatever they add and in whatever order they answer", async () => {
	const plain = await logsOf({ timestamps: false });
	const timed = await logsOf();
	expect(logsDigest(timed.reverse())).toBe(logsDigest(plain));
});

test("[ING-14] one log less, one elsewhere or one of another block is another answer", async () => {
	const logs = await logsOf();
	const [first, ...rest] = logs;
	if (!first) throw new Error("no log");
	for (const other of [
		rest,
		[{ ...first, logIndex: "0x7" as const }, ...rest],
		[{ ...first, blockHash: `0x${"e".repeat(64)}` as const }, ...rest],
		[{ ...first, data: "0x01" as const }, ...rest],
	]) {
		expect(logsDigest(other)).not.toBe(logsDigest(logs));
	}
});
