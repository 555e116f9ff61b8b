import { expect, test } from "bun:test";
import { worldLines } from "#api/cli/worldLines.ts";

const world = {
	httpUrl: "http://127.0.0.1:1",
	home: { chainId: 4663, httpUrl: "http://127.0.0.1:3", wsUrl: "ws://127.0.0.1:3", firstBlock: 1 },
	walletProviderUrl: "http://127.0.0.1:2",
	reveals: [] as string[],
};

const url = "http://127.0.0.1:4000";

test("a sandbox says where its chains and its wallet provider are, and how to get a token", () => {
	const [rpc, home, wallets, token] = worldLines(world, { url, hasOwnWallets: true });
	expect(rpc).toStartWith("RPC      http://127.0.0.1:1 ");
	expect(home).toStartWith("home     http://127.0.0.1:3  (chain 4663, ");
	expect(wallets).toStartWith("wallets  http://127.0.0.1:2 ");
	expect(token).toBe(`token    curl -s http://127.0.0.1:2/_sandbox/token -d '{"userId":"ada"}'`);
});

test("where another wallet provider is configured the sandbox's is not told: its tokens open nothing", () => {
	const lines = worldLines(world, { url, hasOwnWallets: false });
	expect(lines.join("\n")).not.toContain("127.0.0.1:2");
	expect(lines).toHaveLength(2);
});

test("a collection that comes out soon is named, with where to watch that", () => {
	const reveals = ["0x00000000000000000000000000000000000000aa"];
	for (const hasOwnWallets of [true, false]) {
		const lines = worldLines({ ...world, reveals }, { url, hasOwnWallets });
		const [named] = lines.filter((line) => line.startsWith(`reveals  ${reveals[0]} `));
		expect(named).toContain("/v1/nft-market/reveals");
		// Nobody could sign in with the sandbox's token where another wallet provider is configured.
		expect(lines.join("\n").includes("svc ask")).toBe(hasOwnWallets);
	}
});
