import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "#test/run/childEnvironment.ts";

test("what a developer's .env holds does not reach the tests, everything else does", async () => {
	const root = await mkdtemp(join(tmpdir(), "tapeline-env-"));
	try {
		await Bun.write(join(root, ".env"), "# note\nexport HOME=/x\nUNSET_HERE=1\n");
		const env = await childEnvironment(root, false);
		expect(env.HOME).toBeUndefined();
		expect(env.PATH).toBe(process.env.PATH);
		expect(env.PROVE).toBeUndefined();
		expect((await childEnvironment(root, true)).PROVE).toBe("1");
	} finally {
		await rm(root, { recursive: true });
	}
});
