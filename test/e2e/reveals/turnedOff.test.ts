import { expect, test } from "bun:test";
import { sessionToken } from "#plugins/wallets/session/createSessions.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";
import { planBodyOf } from "#test/harness/plans.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";

// Guarantee: an operator turns plans off by one variable; who arms one is told so, and reveals are
// still noticed and listed.

test("[RVL-09] NFT_SNIPE_ENABLED=false arms no plan, reports that, and still records reveals", async () => {
	const off = await startTestService({ scanFrom: null, env: { NFT_SNIPE_ENABLED: "false" } });
	const { db } = off.core;
	const { profile } = await insertPerson(db, { chainId: 31_337, nowMs: Date.now() });
	const token = sessionToken.create((count) => crypto.getRandomValues(new Uint8Array(count)));
	await db.execute(
		`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values ($1, $2, $3, now(), now(), now() + interval '1 hour')`,
		[Bun.randomUUIDv7(), sessionToken.hash(token, undefined), profile.id],
	);
	const arm = async ({ url }: TestService) => {
		const response = await fetch(`${url}/v1/nft-market/snipes`, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
			body: JSON.stringify(planBodyOf()),
		});
		const body = (await response.json()) as { code: string; detail: string };
		return { status: response.status, code: body.code, detail: body.detail };
	};
	expect(await arm(off)).toMatchObject({
		...{ status: 409, code: "snipes_disabled" },
		detail: expect.stringContaining("NFT_SNIPE_ENABLED"),
	});
	expect((await off.get("/v1/nft-market/reveals")).status).toBe(200);
	await off.stop();
	// Where it is on the same request gets as far as its collection, which there is not.
	const on = await startTestService({ scanFrom: null, database: off.database });
	expect(await arm(on)).toMatchObject({ status: 404, code: "not_found" });
	await on.stop();
	await off.database.drop();
});
