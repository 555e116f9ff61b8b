import { expect, test } from "bun:test";
import { canReach } from "#core/db/embedded/canReach.ts";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const testAsRoot = skipWithReason(
	process.getuid?.() === 0 ? null : "only root starts as another user",
);

test("the server never runs as root, and runs as the user it says", async () => {
	const user = chooseServerUser();
	expect(user.uid).not.toBe(0);
	const { output } = await runCommand([...user.prefix, "id", "-u"], { timeoutMs: 5_000 });
	expect(output).toBe(String(user.uid));
});

testAsRoot("the server's user has none of root's groups", async () => {
	const user = chooseServerUser();
	const { output } = await runCommand([...user.prefix, "id", "-G"], { timeoutMs: 5_000 });
	expect(output.split(" ")).not.toContain("0");
});

test("a folder everybody may enter is reachable", async () => {
	expect(await canReach(chooseServerUser(), "/usr")).toBe(true);
});
