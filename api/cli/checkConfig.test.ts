import { expect, test } from "bun:test";
import { checkConfig } from "#api/cli/checkConfig.ts";

test("a configuration is refused before anything is started for it, a plugin's part too", async () => {
	await checkConfig({});
	for (const [name, value] of [
		["PORT", "70000"],
		["PROVIDER_BASE_URL", "nowhere"],
	]) {
		expect(checkConfig({ [String(name)]: value })).rejects.toMatchObject({
			code: "config_invalid",
			privateDetail: expect.stringContaining(String(name)),
		});
	}
});
