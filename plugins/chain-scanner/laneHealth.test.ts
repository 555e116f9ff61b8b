import { expect, test } from "bun:test";
import { createLaneHealth } from "#plugins/chain-scanner/laneHealth.ts";

function lanes() {
	let nowMs = 0;
	const health = createLaneHealth({ nowMs: () => nowMs });
	const failFor = (lane: string, seconds: number) => {
		for (let second = 0; second <= seconds; second += 5) {
			health.failed(lane, "rpc_transport");
			nowMs += 5_000;
		}
	};
	return { health, failFor, wait: (ms: number) => (nowMs += ms) };
}

test("a lane that fails for a minute is named, with its reason and for how long", () => {
	const { health, failFor } = lanes();
	failFor("anvil sale", 50);
	expect(health.trouble()).toBeNull();
	failFor("anvil sale", 10);
	expect(health.trouble()).toBe("anvil sale has failed for 70 s (rpc_transport)");
});

test("a lane that writes again is healthy", () => {
	const { health, failFor } = lanes();
	failFor("anvil sale", 120);
	health.worked("anvil sale");
	expect(health.trouble()).toBeNull();
});

test("failures that are far apart are no outage, however many there are", () => {
	const { health, failFor, wait } = lanes();
	failFor("anvil sale", 55);
	wait(31_000);
	expect(health.trouble()).toBeNull();
	failFor("anvil sale", 5);
	expect(health.trouble()).toBeNull();
});

test("a chain without any announced head is not ready, and the reason is named", () => {
	const { health } = lanes();
	health.awaits("anvil head");
	expect(health.trouble()).toBe("anvil head has not been heard yet");
	health.failed("anvil head", "rpc_wrong_chain");
	expect(health.trouble()).toBe("anvil head has not been heard yet (rpc_wrong_chain)");
	health.worked("anvil head");
	expect(health.trouble()).toBeNull();
});

test("[ING-11] a reorg that is too deep is trouble from its first moment, and ends with it", () => {
	const { health, wait } = lanes();
	health.failed("anvil sale", "reorg_too_deep");
	expect(health.trouble()).toBe("anvil sale has failed for 0 s (reorg_too_deep)");
	wait(31_000);
	expect(health.trouble()).toBeNull();
	health.failed("anvil sale", "reorg_too_deep");
	health.worked("anvil sale");
	expect(health.trouble()).toBeNull();
});
