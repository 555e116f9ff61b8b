import { expect, test } from "bun:test";
import { openForeignFetch } from "#core/foreign/openForeignFetch.ts";

test("[SEC-05] the sandbox, and whoever switched it off, reach nothing on the public network", async () => {
	for (const config of [
		{ SANDBOX: true, FOREIGN_FETCH_ENABLED: true },
		{ SANDBOX: false, FOREIGN_FETCH_ENABLED: false },
	]) {
		const asked = openForeignFetch(config)({
			url: "http://a.test/",
			bytesMax: 1,
			timeoutMs: 5_000,
		});
		await expect(asked).rejects.toThrow("switched off");
	}
});
