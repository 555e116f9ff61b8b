import { expect, test } from "bun:test";
import { oauth1Header } from "#plugins/social/x/callX.ts";

test("a request is signed as X's own example is", () => {
	// The example of "Creating a signature" in X's documentation.
	const header = oauth1Header(
		{
			apiKey: "xvz1evFS4wEEPTGEFPHBog",
			apiSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
			accessToken: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
			accessTokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
		},
		{
			method: "POST",
			url: "https://api.twitter.com/1.1/statuses/update.json?include_entities=true",
			form: { status: "Hello Ladies + Gentlemen, a signed OAuth request!" },
			nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
			nowMs: 1_318_622_958_000,
		},
	);
	expect(header).toContain('oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D"');
});
