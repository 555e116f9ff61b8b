import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { z } from "zod";
import { parseConfig } from "#core/config/parseConfig.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { type CustodyConfig, custodyConfig, openCustody } from "#plugins/custody/plugin.ts";
import { sampleTransaction } from "#plugins/custody/testing/sampleTransaction.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const key = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
const whole = {
	WALLET_PROVIDER_BASE_URL: "https://wallets.test",
	WALLET_PROVIDER_APP_ID: "app1",
	WALLET_PROVIDER_APP_SECRET: "c4n4ry-secret",
	WALLET_PROVIDER_AUTHORIZATION_KEY: key,
};
const core = { clock: { nowMs: () => 0 }, log: silentLog, metrics: createMetrics() };
const schema = z.object(custodyConfig);
const open = (config: Partial<CustodyConfig>) =>
	openCustody({ WALLET_PROVIDER_TIMEOUT_MS: 30_000, ...config }, { core });

describe("the wallet provider's configuration", () => {
	test("a complete configuration and none are accepted, and a part of it is refused", () => {
		expect(open({}).isOn).toBe(false);
		expect(open(whole).isOn).toBe(true);
		for (const name of Object.keys(whole)) {
			if (name === "WALLET_PROVIDER_BASE_URL") continue;
			expect(() => open({ ...whole, [name]: undefined })).toThrow("misconfigured");
		}
		expect(() => open({ WALLET_PROVIDER_BASE_URL: "https://wallets.test" })).toThrow(
			"misconfigured",
		);
	});

	test("a bad value of the configuration is refused at boot, without showing the secret [SEC-07]", () => {
		const wrong = {
			WALLET_PROVIDER_BASE_URL: ["http://wallets.test", "http://localhost.evil.test", "ftp://x"],
			WALLET_PROVIDER_APP_ID: ["a b", "a:b"],
			WALLET_PROVIDER_APP_SECRET: ["short", "with blank in it"],
			WALLET_PROVIDER_AUTHORIZATION_KEY: ["c4n4ry", `${key.slice(0, -8)}c4n4ry==`],
			WALLET_PROVIDER_VERIFICATION_KEY: ["c4n4ry"],
			WALLET_PROVIDER_TIMEOUT_MS: ["0", "soon"],
		};
		for (const [name, values] of Object.entries(wrong)) {
			for (const value of values) {
				const told = read({ ...whole, [name]: value });
				expect(told).toContain(name);
				if (/SECRET|AUTHORIZATION/.test(name)) expect(told).not.toContain(value);
			}
		}
	});

	test("http is accepted for this machine only, and keys in each of their formats", () => {
		const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
		for (const url of ["http://127.0.0.1:8080", "http://localhost:1/", "https://api.privy.io"]) {
			const config = {
				...whole,
				WALLET_PROVIDER_BASE_URL: url,
				WALLET_PROVIDER_AUTHORIZATION_KEY: `wallet-auth:${key}`,
				WALLET_PROVIDER_VERIFICATION_KEY: pem.replaceAll("\n", "\\n"),
			};
			expect(read(config)).toBe("");
		}
	});
});

test("without a wallet provider a send is refused, and any other call fails with a fault that says so", async () => {
	const off = open({});
	const { signal } = new AbortController();
	const send = await off.send({
		providerWalletId: "w",
		transaction: sampleTransaction("0x01", 0),
		referenceId: "r",
		validUntilMs: Number.MAX_SAFE_INTEGER,
		signal,
	});
	expect(send).toMatchObject({ kind: "refused", code: "wallet_provider_off" });
	const rest = { providerWalletId: "w", idempotencyKey: "k", signal };
	const calls = [
		off.byId("t", signal),
		off.byReference("r", signal),
		off.user("u", signal),
		off.wallet("w", signal),
		off.signMessage({ ...rest, message: "m" }),
		off.signTypedData({ ...rest, typedData: {} }),
		off.verifyAccessToken("t"),
	];
	for (const call of calls) {
		expect(await call.catch((error) => error.code)).toBe("wallet_provider_off");
	}
});

/** What the operator would read; empty where nothing is wrong. */
function read(env: Record<string, string>): string {
	try {
		parseConfig([{ owner: "wallets", schema }], env);
		return "";
	} catch (error) {
		return Bun.inspect(error) + String((error as { publicDetail?: string }).publicDetail);
	}
}
