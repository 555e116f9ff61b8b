import { expect, test } from "bun:test";
import type { World } from "#api/cli/startWorld.ts";
import { worldLines } from "#api/cli/worldLines.ts";

const world = {
	httpUrl: "http://127.0.0.1:1",
	home: { chainId: 4663, httpUrl: "http://127.0.0.1:3", wsUrl: "ws://127.0.0.1:3", firstBlock: 1 },
	walletProviderUrl: "http://127.0.0.1:2",
	reveals: [] as string[],
	socialUrl: "http://127.0.0.1:4",
	social: { botUsername: "tapeline_bot" } as World["social"],
};

test("a sandbox says where its chains and its wallet provider are, and how to get a token", () => {
	const [rpc, home, wallets, token] = worldLines(world, {
		hasOwnWallets: true,
		hasOwnSocial: false,
	});
	expect(rpc).toStartWith("RPC      http://127.0.0.1:1 ");
	expect(home).toStartWith("home     http://127.0.0.1:3  (chain 4663, ");
	expect(wallets).toStartWith("wallets  http://127.0.0.1:2 ");
	expect(token).toBe(`token    curl -s http://127.0.0.1:2/_sandbox/token -d '{"userId":"ada"}'`);
});

test("where another wallet provider is configured the sandbox's is not told: its tokens open nothing", () => {
	const lines = worldLines(world, { hasOwnWallets: false, hasOwnSocial: false });
	expect(lines.join("\n")).not.toContain("127.0.0.1:2");
	expect(lines).toHaveLength(2);
});

test("a collection that comes out soon is named, with where to watch that", () => {
	const reveals = ["0x00000000000000000000000000000000000000aa"];
	for (const hasOwnWallets of [true, false]) {
		const lines = worldLines({ ...world, reveals }, { hasOwnWallets, hasOwnSocial: true });
		expect(lines.at(-1)).toStartWith(`reveals  ${reveals[0]} `);
		expect(lines.at(-1)).toContain("/v1/nft-market/reveals");
	}
});

test("X is told with a mention to copy, unless another one is configured", () => {
	const lines = worldLines(world, { hasOwnWallets: true, hasOwnSocial: true });
	expect(lines.at(-2)).toStartWith("X        http://127.0.0.1:4 ");
	expect(lines.at(-1)).toBe(
		`mention  curl -s http://127.0.0.1:4/_sandbox/posts -d '{"by":"ada","text":"@tapeline_bot floor kiln-folk"}'`,
	);
	const none = worldLines(world, { hasOwnWallets: true, hasOwnSocial: false });
	expect(none.join("\n")).not.toContain("127.0.0.1:4/");
});
