import { expect, test } from "bun:test";
import { join } from "node:path";
import { fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { refuseTakenPort } from "#core/http/listenHttp.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: the command that the README gives to a supervisor ends, with its child, when it is
// told to.

test("SIGTERM to `bun run start` ends the service and frees its port", async () => {
	const database = await createTestDatabase();
	const node = fakeNode();
	const child = Bun.spawn([process.execPath, "run", "start"], {
		cwd: join(import.meta.dir, "../.."),
		env: {
			PATH: process.env["PATH"],
			HOME: process.env["HOME"],
			DATABASE_URL: database.connectionString,
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [node.url] }),
			PORT: "0",
		},
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
	});
	let said = "";
	const reading = (async () => {
		const decoder = new TextDecoder();
		for await (const chunk of child.stderr) said += decoder.decode(chunk, { stream: true });
	})();
	try {
		const port = () => Number(/market\s+http:\/\/[^/]+:(\d+)\//.exec(said)?.[1] ?? 0);
		await until(
			() => port() > 0 || child.exitCode !== null,
			() => said,
		);
		const at = { host: "127.0.0.1", port: port() };
		expect(await refuseTakenPort(at).catch(({ code }) => code)).toBe("port_in_use");
		child.kill("SIGTERM");
		expect(await child.exited).toBe(0);
		await refuseTakenPort(at);
	} finally {
		// Unlike a kill, SIGTERM is passed on: a failed test leaves nothing behind.
		child.kill("SIGTERM");
		await child.exited;
		await reading;
		await node.stop();
		await database.drop();
	}
	expect(said).toEndWith("stopping …\nstopped\n");
});
