import type { Words } from "#agent/grammar/splitWords.ts";

/**
 * The roles of a word in a question. `chat` is never part of a name; `before` is part of one that
 * it directly precedes (`lazy lions`, not `lions looks rough`); `beside` of one on either side
 * (`sewer pass`); `open` words form names.
 */
export type Role = "chat" | "before" | "beside" | "open";

/** Returns the role of the word at this place. */
export function roleOf({ low }: Words, at: number): Role {
	const word = low[at] ?? "";
	if (CHAT.has(word) || PRESENT.has(word)) return "chat";
	if (DESCRIBING.has(word) || PAST.has(word)) return "before";
	// The ending of an adverb: `instantly`.
	if (word.length > 5 && word.endsWith("ly")) return "before";
	if (TALK.has(word)) return "beside";
	if (!VERBS.has(word)) return "open";
	const next = low[at + 1];
	const isLast = next === undefined || CHAT.has(next);
	return isLast && low.slice(0, at).some((one) => HELPING.has(one)) ? "chat" : "beside";
}

/** Returns those of the places whose words form names, by their roles and their neighbours. */
export function namePlaces(words: Words, places: readonly number[]): number[] {
	const roles = new Map(places.map((at) => [at, roleOf(words, at)]));
	const named = new Set(places.filter((at) => roles.get(at) === "open"));
	for (const at of [...places].reverse()) {
		const isBefore = roles.get(at) === "before" || roles.get(at) === "beside";
		if (isBefore && named.has(at + 1) && !words.isApart[at + 1]) named.add(at);
	}
	for (const at of places) {
		if (roles.get(at) === "beside" && named.has(at - 1) && !words.isApart[at]) named.add(at);
	}
	return [...named].sort((a, b) => a - b);
}

/**
 * Returns true for a word that makes a text more than a question: an order, a condition, a denial.
 */
export function isOrderWord(low: string): boolean {
	return ORDERS.has(low);
}

/** Returns true for a word that precedes a chain or a length of time, and goes with it. */
export function isBeforeValue(low: string): boolean {
	return BEFORE_VALUE.has(low);
}

/** After one of these words a verb is no name: `did azuki recover`. */
const HELPING = setOf("do does did will would can could may might to");

const BEFORE_VALUE = setOf("on in for over at within during the last past this of since from");

const ORDERS = setOf(
	"buy sell send ape snipe bridge sweep swap dump flip bid offer stake approve transfer " +
		"withdraw deposit mint claim burn lend borrow short long lever leverage grab cop scoop " +
		"delist accept cancel pause resume my mine confirm sign execute place create tip gift " +
		"airdrop drain alert notify ping if unless until not no never don't dont won't wont " +
		"without instead else why should shouldnt shouldn't vs versus than compared compare " +
		"better worse",
);

/**
 * Words that people put around a question: small words, greetings, slang, with usual misspellings.
 */
const CHAT = setOf(
	"a an the this that these those it its it's there here one ones any anything some " +
		"something all of on in at for from to with by about into over within per as than or " +
		"near around under off i im i'm i'd id me we us our u you your he she they them their " +
		"people ppl everyone is isnt isn't are r was were be been being am do does did done has " +
		"have had having get gets got getting gotten can could would will may might gonna wanna " +
		"want wants need needs what whats what's which who whos who's where wheres where's how " +
		"hows how's when wen whens when's and but so also too just even really still already yet " +
		"now then like only ever tell show give gimme gib see know check find look looking looks " +
		"lookup up pull fetch display let lets let's say says ask asking wondering wonder " +
		"curious idea info please pls plz plss plzz help quickly remind update updates happening " +
		"doing going goes go went come coming sitting sits standing stands trending number " +
		"numbers amount figure figures data list total overall actual actually exactly current " +
		"currently latest recent recently last newest past previous right live moment rn atm " +
		"today's average avg entire each left max min high low higher lower highest lowest big " +
		"bigger biggest most more less much many few couple lot lots worth minimum maximum " +
		"percentage percent available atleast least today tonight yesterday while $ € ago since " +
		"during upto till because cuz cause such time anyways anyway collection collections nfts " +
		"project projects coll jpeg jpegs jpg pfp pfps market marketplace opensea chain onchain " +
		"eth ether usd dollars bucks hey hi hello yo gm gn ga sup ok okay okey um uh hmm well oh " +
		"ah ayo aye wassup heya hiya bot tapeline bro bros ser sir sers fam anon dude man mate " +
		"guys guy lads lol lmao lmfao rofl ffs wtf omg damn dang tho though btw asap again " +
		"thanks thx ty tysm cheers kinda kind sorta sort lately days nowadays roughly approx " +
		"approximately basically literally honestly ngl tbh imo fr anyone anybody someone " +
		"somebody knows knew maybe probably possibly teh hte waht wat wats wut wuts whts wht hwo " +
		"hw hwat adn ur urs ya yall plis pliz tel shw giv wuld cld waz ths thsi taht fo fro ot " +
		"si iz dis dat da morning evening afternoon night stats stat prices movement momentum " +
		"situation vibes count counts side sides pull pulls check checked checking fill seems keeps " +
		"shows means thinks",
);

/** General words for people and things, which names also use. */
const TALK = setOf(
	"state king chief boss gang homie friend fren frens thing things stuff piece pieces item " +
		"items moments times way ways real quick general world chat agent chance chances single " +
		"whole",
);

const DESCRIBING = setOf(
	"good close rough strong weak healthy solid stable steady ugly bad great decent nice fine poor " +
		"rich small huge tiny large long short hard easy heavy light quick slow fast early late " +
		"young old fresh new hot cold cool warm wet dry loud quiet calm busy free full empty " +
		"open closed safe risky rare common popular famous cheap expensive pricey valuable " +
		"worthless deep shallow thick thin tight loose wide narrow clean dirty dark bright red " +
		"green bullish bearish crazy insane wild mad nuts lit dead alive dying active inactive " +
		"real fake fair unfair true false possible likely unlikely different similar same " +
		"various certain sure clear obvious usual normal weird strange odd funny sad happy angry " +
		"bored lazy invisible hidden secret special specific particular important main major " +
		"minor serious simple basic complex whole half final initial first second third next nft " +
		"top best worst better worse smallest largest oldest overbought oversold undervalued " +
		"overvalued reasonable fairly pretty super very extremely quite rather somewhat mostly " +
		"nearly almost",
);

/** Common verbs, except those that order something. */
const VERBS = setOf(
	"answer add appear act aim allow agree arrive happen jump join keep lead learn leave " +
		"matter meet mention miss notice own pass peek pay perform pick prefer process push put " +
		"reach read remain request return review scan scroll seem share shift sit speak spend " +
		"start stay stop suggest support suppose surprise talk think try type understand use " +
		"wait worry write cross settle hover trend follow bring begin become believe call change " +
		"click close compare consider continue count cut decide define depend detect earn eat " +
		"end enter expect explain feel fill finish fit fix force forget gain grow guess handle " +
		"hang hear include increase decrease decline improve recover spread retrace bleed soar plummet " +
		"slump drop stabilize consolidate halve remember rotate circulate shake break land print " +
		"track walk test mark work play deal point level load visit watch spot slip rally tick " +
		"range post record report surge spike sink drift drive fly order rest run hit kick cover " +
		"slide rank catch match hammer quote star rip dip crash double triple fade rise fall " +
		"flow mean kill bounce rebound plunge turn stick love hope care climb",
);

/** Of these verbs only other forms (`checking`) are missing from the lists above. */
const CHAT_VERBS = setOf(
	"ask check compare count display fetch fill find get give help know let look pull remind say " +
		"see show tell update want wonder",
);

const PRESENT = new Set([...VERBS, ...CHAT_VERBS].flatMap((verb) => formsOf(verb, "ing")));

const PAST = new Set([
	...[...VERBS].flatMap((verb) => formsOf(verb, "ed")),
	...setOf(
		"paid said told thought felt kept meant met ran sat shown spoke spent stood stuck took " +
			"taken taking turned understood gone won wrote written came began became brought called " +
			"caught chose chosen dealt drawn drew driven drove ate eaten fell fallen found flew " +
			"flown forgot gave given grew grown heard held known led lost made rose risen saw seen " +
			"set shook slid sank sunk thrown threw",
	),
]);

function setOf(list: string): ReadonlySet<string> {
	return new Set(list.split(" "));
}

/** Returns forms of a verb: `scanning`, `moving`; `checked`, `tried`. Not `runs`: also a plural. */
function formsOf(verb: string, end: "ing" | "ed"): string[] {
	const doubled = /[^aeiou][aeiou][bdgklmnprt]$/.test(verb) ? [`${verb}${verb.at(-1)}${end}`] : [];
	const stem = end === "ed" ? verb.replace(/([^aeiou])y$/, "$1i") : verb;
	return [`${stem.replace(/e$/, "")}${end}`, ...doubled];
}
