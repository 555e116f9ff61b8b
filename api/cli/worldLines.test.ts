import { expect, test } from "bun:test";
import { worldLines } from "#api/cli/worldLines.ts";

const world = { httpUrl: "http://127.0.0.1:1", walletProviderUrl: "http://127.0.0.1:2" };

test("a sandbox says where its chain and its wallet provider are, and how to get a token", () => {
	const [rpc, wallets, token] = worldLines(world, { hasOwnWallets: true });
	expect(rpc).toStartWith("RPC      http://127.0.0.1:1 ");
	expect(wallets).toStartWith("wallets  http://127.0.0.1:2 ");
	expect(token).toBe(`token    curl -s http://127.0.0.1:2/_sandbox/token -d '{"userId":"ada"}'`);
});

test("where another wallet provider is configured the sandbox's is not told: its tokens open nothing", () => {
	const lines = worldLines(world, { hasOwnWallets: false });
	expect(lines.join("\n")).not.toContain("127.0.0.1:2");
	expect(lines).toHaveLength(1);
});
