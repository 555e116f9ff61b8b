import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "#test/run/runChild.ts";

test("variables of a developer's .env are not passed to the tests, and all others are", async () => {
	const root = await mkdtemp(join(tmpdir(), "tapeline-env-"));
	try {
		await Bun.write(join(root, ".env"), "# note\nexport HOME=/x\nUNSET_HERE=1\n");
		const env = await childEnvironment(root, false);
		expect(env.HOME).toBeUndefined();
		expect(env.PATH).toBe(process.env.PATH);
		expect(env.PROVE).toBeUndefined();
		expect(env.TEST_SEED).toBe(process.env.TEST_SEED);
		const [one, other] = [await childEnvironment(root, true), await childEnvironment(root, true)];
		expect(one.PROVE).toBe("1");
		expect(one.TEST_SEED).toMatch(/^\d+$/);
		if (process.env.TEST_SEED === undefined) expect(one.TEST_SEED).not.toBe(other.TEST_SEED);
	} finally {
		await rm(root, { recursive: true });
	}
});
