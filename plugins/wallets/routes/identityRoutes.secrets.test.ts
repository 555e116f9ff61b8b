import { expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import {
	type Answer,
	addressOf,
	type Call,
	keyOf,
} from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
// Guarantee: a token is in the one answer that hands it over, and what the wallet provider calls
// people and their keys is in none.
test("[SEC-07] no answer, audit entry or stored row has a token, a key or the provider's names", async () => {
	const { provider, db } = own.fixture;
	const answers: Answer[] = [];
	const ask = async (path: string, init: Call) => {
		const answer = await own.fixture.call(path, init);
		answers.push(answer);
		return answer;
	};
	const access = provider.user("c4n4ry-user", [
		provider.social("s-1", "ann"),
		provider.embedded("c4n4ry-wallet", addressOf(1), true),
	]);
	const { body: enrolled } = await own.fixture.enrol(access);
	const account = privateKeyToAccount(keyOf(2));
	const message = await own.fixture.messageOf(account.address);
	const signature = await account.signMessage({ message });
	const { body: signed } = await own.fixture.call("/siwe/verify", { body: { message, signature } });

	for (const bearer of [enrolled.token, signed.token, access, `${access}-wrong`]) {
		await ask("/profile", { bearer });
		await ask("/profile", { bearer, body: { dailyUsdMax: "1" } });
		await ask("/profile", { bearer, body: { dailyUsdMax: "99999" } });
		await ask("/profile", { bearer, body: { unknown: bearer } });
		await ask("/profile/wallets/x", { method: "DELETE", bearer });
		await ask("/profile/social", { method: "DELETE", bearer });
	}
	await ask("/enrollment", { method: "POST", body: { accessToken: `${access}-wrong` } });
	await ask("/siwe/verify", { body: { message, signature } });
	await ask("/siwe/verify", { body: { message: `${message}\n`, signature } });
	await ask("/settings", {});

	const told = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join("\n");
	const secrets = [enrolled.token, signed.token, access, "c4n4ry", signature, keyOf(2).slice(2)];
	expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
	const audited = JSON.stringify(own.fixture.audited);
	expect(own.fixture.audited.length).toBeGreaterThan(3);
	expect(secrets.filter((secret) => audited.includes(secret))).toEqual([]);
	const stored = await db.query<{ text: string }>(
		`select (select json_agg(p)::text from wallets.profile as p)
			|| (select json_agg(w)::text from wallets.wallet as w)
			|| (select json_agg(s)::text from wallets.session as s) as text`,
	);
	const tokens = [enrolled.token, signed.token, access, signature];
	expect(tokens.filter((secret) => stored[0]?.text.includes(secret))).toEqual([]);
	expect(JSON.stringify([enrolled.profile, signed.profile])).not.toMatch(
		/c4n4ry|provider|revision/,
	);
});
