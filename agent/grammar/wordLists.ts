/** Lists words by what they do in a question. `wordRoles.ts` says how they count. */

/** Words that people put around a question: small words, greetings, slang, usual misspellings. */
export const CHAT = setOf(
	"oi omo oya gg cmon c'mon him her his af sub weth q qq crickets tumbleweeds feels sounds smells tastes tf below above beneath " +
		"underneath distinct # = - -- -> => / ~ + * < > cant can't cannot couldnt couldn't os " +
		"blur magiceden a an the this that these those it its it's there here one any anything " +
		"some something all of on in at for from to with by about into over within per as than " +
		"or near around under off i im i'm i'd id me we us our u you your he she they them " +
		"their people ppl everyone is isnt isn't are r was were be been being am do does did " +
		"done has have had having get gets got getting gotten can could would will may might " +
		"gonna wanna want wants need needs what whats what's which who whos who's where wheres " +
		"where's how hows how's when wen whens when's and but so also too just even really " +
		"still already yet now then like only ever tell show give gimme gib see know check find " +
		"look looking looks lookup up pull fetch display let lets let's say says ask asking " +
		"wondering wonder curious idea info please pls plz plss plzz help quickly remind update " +
		"updates happening doing going goes go went come coming sitting sits standing stands " +
		"trending number numbers amount figure figures data list total overall actual actually " +
		"exactly current currently latest recent recently last newest past previous right live " +
		"moment rn atm today's average avg entire each left max min high low higher lower " +
		"highest lowest big bigger biggest most more less much many few couple lot lots worth " +
		"minimum maximum percentage percent available atleast least today tonight yesterday " +
		"while $ € ago since during upto till because cuz cause such time anyways anyway " +
		"collection collections nfts project projects coll jpeg jpegs jpg market marketplace " +
		"opensea chain eth ether usd dollars bucks hey hi hello yo gm gn ga ok okay okey um uh " +
		"hmm well oh ah ayo aye wassup heya hiya bot tapeline bro bros ser sir sers fam anon " +
		"dude man mate guys guy lol lmao lmfao rofl ffs wtf omg damn dang tho though btw asap " +
		"again thanks thx ty tysm cheers kinda kind sorta sort lately days nowadays roughly " +
		"approx approximately basically literally honestly ngl tbh imo fr anyone anybody " +
		"someone somebody knows knew maybe probably possibly teh hte waht wat wats wut wuts " +
		"whts wht hwo hw hwat adn ur urs ya yall plis pliz tel shw giv wuld cld waz ths thsi " +
		"taht fo fro ot si iz dis dat da morning evening afternoon night stats stat prices " +
		"movement momentum situation count counts side sides pulls checked checking fill seems " +
		"keeps shows means thinks nah naw nope yep yeah yea yup bc bcuz idk idc iirc afaik sry " +
		"sorry pardon excuse w wit n nor either both neither smth somethin smthn sth someplace " +
		"somewhere some1 any1 enough enuf thru through across against between among along " +
		"beyond despite except onto upon toward towards i've ive we've they've youve you've " +
		"theyre they're we're we'll i'll ill'd you'd he's she's there's theres that's thats " +
		"what're whatre what'd whatd whatcha where'd who'd when'd how'd how're aren't wasn't " +
		"weren't hasn't haven't hadn't ain't aint arent wasnt werent hasnt havent doesnt gotta " +
		"finna boutta bouta tryna trynna tryin trying hoping hopefully supposedly apparently " +
		"seemingly whatever whichever whoever soon later sooner earlier before after afterwards " +
		"whose whom itself themselves myself yourself 'em em every via unlike same plus minus " +
		"etc etcetera presently momentarily nowish todays yesterdays kindly appreciated " +
		"appreciate thankyou danke merci ooh aah haha hahaha lmk tl wdym ikr fwiw smh jk istg " +
		"bruh bruv brah broski sis gurl fellas peeps folks y'all homies comrade whereabouts " +
		"how'bout howabout could've would've should've must shall ought able saying telling " +
		"heard hearing reading saw seeing seen bein becoming became get's bunch ton tons plenty " +
		"several hundreds thousands tad bit ugh meh welp yikes sheesh jeez geez gosh heck fk " +
		"fck fuckin fucking shitty crap correct wrong anyhow somehow mhm hmmm hmmmm erm uhh umm " +
		"uhm ehh eh huh alright aight ight kk kay throw toss exact precise ballpark estimate " +
		"estimated screen site app website dashboard tab tool tracker number's nums num nr no. " +
		"cnt totals sum level levels out obv obviously hurry thank thankful grateful greetings " +
		"regards dear respected madam mam ma'am mister mr mrs welcome woke awake newbie " +
		"newcomer beginner quickest soonest present respective respectively corresponding " +
		"individual specific pcs units unit copies amounts junk nonsense fyi psa ps ok'd " +
		"wondered howdy hola hallo bonjour salut privet namaste anytime sometime sometimes " +
		"often always usually normally generally specifically particularly especially mainly " +
		"obrigado obrigada gracias merci bitte arigato onegai onegaishimasu kudasai shukran " +
		"grazie mostly perhaps truly surely certainly clearly simply merely barely hardly solely " +
		"purely fully partly entirely totally completely absolutely relatively ourselves " +
		"oneself everybody nobody noone none nothing nowhere everywhere anywhere everything " +
		"first second third firstly secondly finally lastly once twice thrice hence thus " +
		"therefore thereby however moreover furthermore besides although whereas whether " +
		"otherwise regarding concerning respecting according due given including excluding " +
		"gotcha fantastic wow woah whoa yay oops oof lemme gimmie givme gimmeh plsss pleaseee " +
		"pleasee thanx thnx thankss tnx tks tq tyvm tia cheerz bruhh broo brooo serr yoo yooo " +
		"heyy heyyy helloo hii hiii wsup wassap whaddup wazzup dunno idek dk afk brb ttyl tbf " +
		"fs frfr deadass lowkey highkey mfw tfw ik nbd ofc aka ie eg honest genuinely legit " +
		"seriously srsly priced thatll itll it'll theyll they'll shes hes ull u'll ud u'd youll you'll " +
		"yous ppl's weve we'd theyd they'd whove who've whatve what've shouldve couldve wouldve " +
		"mightve someones somebodys anyones everyones somebody's cheap cheaper expensive pricey",
);

/** General words for people, which names also use. */
export const TALK = setOf(
	"degen degens king chief boss gang homie friend fren frens moments real quick general agent single " +
		"whole ones load loads dozen back away together apart pfp pfps jpeg lads guys vibes " +
		"gals buddies units'",
);

/** General words for things: what follows `of` behind them is a name of its own. */
export const ABSTRACT = setOf(
	"state thing things stuff piece pieces item items moment times way ways chance " +
		"chances sense feel feeling view look outlook opinion opinions idea ideas thought " +
		"thoughts history question questions answer answers reason reasons case cases point " +
		"points part parts bit bits rest kind type types sort sorts version versions name " +
		"names word words place places person lot fact facts truth problem problems issue " +
		"issues matter matters result results example end start beginning middle top bottom " +
		"side source sources method process step steps plan plans project's job work detail " +
		"record records list lists table tables chart charts graph graphs screenshot " +
		"screenshots pic pics picture pictures photo photos link links url address tweet " +
		"tweets post posts thread threads message messages image images file files feature " +
		"features option options choice choices action reaction effect impact direction range " +
		"zone area spot spots region distance degree amount quantity portion chunk slice " +
		"fraction ratio ratios proportion majority minority half quarter third",
);

/** Adjectives and adverbs. */
export const DESCRIBING = setOf(
	"asleep awake scarce abundant plentiful good close rough strong weak healthy solid " +
		"stable steady ugly bad great decent nice fine poor rich small huge tiny large long " +
		"short hard easy heavy light quick slow fast early late young old fresh new hot cold " +
		"cool warm wet dry loud quiet calm busy free full empty open closed safe risky rare " +
		"common popular famous valuable worthless deep shallow thick thin tight loose wide " +
		"narrow clean dirty dark bright red green bullish bearish crazy insane wild mad nuts " +
		"lit dead alive dying active inactive real fake fair unfair true false possible likely " +
		"unlikely different similar same various certain sure clear obvious usual normal weird " +
		"strange odd funny sad happy angry bored lazy invisible hidden secret special specific " +
		"particular important main major minor serious simple basic complex whole half final " +
		"initial first second third next nft top best worst better worse smallest largest " +
		"oldest overbought oversold undervalued overvalued reasonable fairly pretty super very " +
		"extremely quite rather somewhat mostly nearly almost mid trash cooked legit sus lame " +
		"overpriced underpriced strongest weakest hottest coldest quickest fastest rarest " +
		"onchain complete incomplete perfect lovely sweet awesome amazing brilliant wonderful " +
		"terrible horrible awful poorer richer principal primary secondary previous upcoming " +
		"imminent respective accurate proper overall general annual original official " +
		"unofficial actual virtual digital physical local foreign domestic international global " +
		"public private internal external positive negative neutral massive enormous gigantic " +
		"mega mini micro average typical standard extra additional further remaining leftover " +
		"entire brand newer older younger latter former modern ancient classic trendy fancy " +
		"sexy juicy spicy tasty delicious smooth sharp flat round square straight curved double " +
		"triple multiple several numerous countless enough sufficient adequate available " +
		"unavailable accessible visible noticeable significant substantial considerable " +
		"acceptable suitable appropriate relevant related unrelated responsible capable able " +
		"unable ready willing eager keen curious interested tired sleepy hungry thirsty sick " +
		"ill wealthy drunk sober afraid scared worried nervous anxious confused lost stuck " +
		"blind deaf dumb stupid smart clever wise genius silly goofy handy convenient",
);

/** Common verbs, except those that order something. */
export const VERBS = setOf(
	"command flow answer add appear act aim allow agree arrive happen jump join keep lead learn leave " +
		"matter meet mention miss notice own pass peek pay perform pick prefer process push put " +
		"reach read remain request return review scan scroll seem share shift sit speak spend " +
		"start stay stop suggest support suppose surprise talk think try type understand use " +
		"wait worry write cross settle hover trend follow bring begin become believe call " +
		"change click close compare consider continue count cut decide define depend detect " +
		"earn eat end enter expect explain feel fill finish fit fix force forget gain grow " +
		"guess handle hang hear include increase decrease decline improve recover spread " +
		"retrace bleed soar plummet slump drop stabilize consolidate halve remember rotate " +
		"circulate shake break land print track walk test mark work play deal point level load " +
		"visit watch spot slip rally tick range post record report surge spike sink drift drive " +
		"fly order rest run hit kick cover slide rank catch match hammer lose quote star rip dip " +
		"crash double triple fade rise fall flow mean kill bounce rebound plunge turn stick " +
		"love hope care climb abandon absorb accelerate access accompany accomplish achieve " +
		"acknowledge acquire activate adapt adjust admire admit adopt advance advise afford " +
		"announce anticipate apologize appreciate approach argue arrange assess assign assist " +
		"associate assume assure attach attack attempt attend attract avoid await behave belong " +
		"benefit boost bother breathe calculate capture carry cause celebrate chase chat cheer " +
		"collect collapse combine comment commit communicate complain complete compute " +
		"concentrate concern conclude conduct connect consist constitute construct consult " +
		"consume contain contribute convert convince cook cooperate coordinate correct " +
		"correspond cost create crush cry cure deliver demand demonstrate deny deploy deserve " +
		"design desire destroy determine develop differ disappear discover discuss display " +
		"divide donate download draft dream drink dry edit educate elaborate eliminate embrace " +
		"emerge emphasize employ enable encourage engage enhance enjoy ensure entertain " +
		"enumerate escape establish estimate evaluate examine exceed exchange exist expand " +
		"experience explode explore expose extend face fail favor fear feed fetch fight figure " +
		"file fire flash flee float focus form forward found freak freeze frustrate function " +
		"fund gather generate grant greet grind guarantee guide hate heal hide highlight hire " +
		"hurt identify ignore illustrate imagine implement imply import impress indicate inform " +
		"inquire insist inspect inspire install intend interact introduce invent invest " +
		"investigate invite involve itch joke judge justify label lack laugh launch lay lean " +
		"lie lift limit link locate lock log loosen maintain manage manipulate maximize measure " +
		"migrate mind minimize mix modify monitor motivate move multiply negotiate nominate " +
		"note obtain occur operate oppose optimize organize overcome overlook owe pack paint " +
		"participate pause persuade plan plant pledge pop possess pour practice pray prepare " +
		"present preserve pretend prevent proceed produce program promise promote propose " +
		"protect prove provide publish pursue qualify question quit race raise react realize " +
		"reason recall receive reckon recognize recommend reduce refer reflect refresh refuse " +
		"regard regret reject relate relax rely remind remove rename render rent repair repeat " +
		"replace reply represent require rescue research reserve resist resolve respect respond " +
		"restore restrict result resume retain retire retreat retrieve reverse risk roll ruin " +
		"rush sail satisfy save scare schedule search secure seek select separate serve shine " +
		"shock shoot shop shout shrink shut sigh signal skip sleep smash smell smile smoke " +
		"solve sort specify spill split spoil sponsor squeeze stack stare steal stress stretch " +
		"strike struggle study submit succeed suffer suit summarize summarise supply surrender " +
		"surround survive suspect sustain swear swim switch tease tempt tend thank threaten " +
		"throw tie touch tour trace transform translate trap travel treat trigger trust upload " +
		"upset urge utilize vanish vary view violate vote wake wander warn wash waste wear " +
		"weigh whisper win wipe wish withdraw witness wonder wrap yell yield congratulate",
);

/** Of these verbs only other forms (`checking`) are missing from the lists above. */
export const CHAT_VERBS = setOf(
	"ask check compare count display fetch fill find get give help know let look pull " +
		"remind say see show tell update want wonder",
);

/** Past forms that do not end in `-ed`. */
export const PAST_FORMS = setOf(
	"woke made slept bought sold paid said told thought felt kept meant met ran sat shown spoke spent stood stuck took " +
		"taken taking turned understood gone won wrote written came began became brought called " +
		"caught chose chosen dealt drawn drew driven drove ate eaten fell fallen found flew " +
		"flown forgot gave given grew grown heard held known led lost made rose risen saw seen " +
		"set shook slid sank sunk thrown threw aped sniped bridged swept swapped dumped staked " +
		"borrowed grabbed copped scooped sent burned burnt gifted tipped",
);

/** Directly after one of these words a verb is no part of a name: `to track azuki`. */
export const MODAL = setOf(
	"to will would can could may might cant cannot couldnt gonna wanna tryna lemme please",
);

/** Lists whom people speak of as theirs: `my brother`. */
export const PEOPLE = setOf(
	"client clients friend friends buddy mate bro brother sister cousin wife husband boss dad mom mum kid kids son daughter uncle aunt " +
		"colleague colleagues teacher partner girlfriend boyfriend neighbor neighbour nephew niece group article report " +
		"newsletter thesis homework friend's brother's cousin's",
);

/** Verbs that order something. After `can i` and the like they only say what one would do. */
export const ORDERS = setOf(
	"exit buy sell send ape snipe bridge sweep swap dump flip bid offer stake approve transfer " +
		"withdraw deposit mint claim burn lend borrow short long lever leverage grab cop " +
		"scoop delist accept cancel pause resume confirm sign execute place create tip gift " +
		"airdrop drain alert notify ping unload offload",
);

/** Words that make a text more than a question: a condition, a denial, a comparison, advice. */
export const REFUSED = setOf(
	"my mine if unless until not no never don't dont won't wont without instead else why " +
		"should shouldnt shouldn't vs versus than compared compare better worse predict " +
		"prediction predictions forecast ath gas gwei safe founder founders creator creators " +
		"poem essay haiku lyrics password passphrase weather thoughts opinion opinions artist ceo roadmap whitepaper utility btc bitcoin solana",
);

/** Usual nouns: beside a better name they are part of the talk, and never the only choice. */
export const COMMON = setOf(
	"ghost little account accounts actor adult adults advice afternoon age agency air alarm alpha " +
		"american angle animal announcement announcements api apartment apology app apps " +
		"application argument arm army art artist artists aspect asset assets attack attempt " +
		"attention attitude audience aunt author authority baby background badge badges bag " +
		"bags bank banks bar barrel base battle bear beard bears beer behavior bet bets bid " +
		"bill bills block blocks blood board boat body bot bots bottle box boy boyfriend boys " +
		"brain branch brand brands bread break breakfast brother browser budget bug bugs " +
		"builder building bull bulls bunch business buddy call calls camera camp capital car " +
		"card cards career cash cat category cause cell cells center ceo chain chair challenge " +
		"champion channel channels chapter character charge charity chat check child children " +
		"choice church circle city class client climate clock clothes cloud club coach code " +
		"coffee coin coins collector comment comments company competition computer concept " +
		"concern condition conditions conference confidence connection content contest context " +
		"contract contracts control conversation cope copium copy corner country couple course " +
		"court cousin cover cpi creator creators credit crime crisis crowd crypto cup currency " +
		"customer cycle dad dance danger dashboard database date dates daughter day death " +
		"debate debt decision defi degen degens delay demand department deposit deposits design " +
		"desk dev devs device dick dinner direction dirt discord discount discussion disease dm " +
		"dms dog dogs dollar door doubt drama dream dress drink driver drug dude dust dusk " +
		"earth edge editor education effort ego election email emergency emotion employee end " +
		"energy engine engineer enemy entrance environment equipment error errors escape " +
		"evening event events evidence exam exchange exchanges excuse exit experience expert " +
		"explorer eye eyes face facebook factor failure faith fan fans farm father fault favor " +
		"fear fed fee fees field fight film finance finger fire fish flag flight flip flow fomo " +
		"food foot football form founder founders frame freedom friday friend friends front " +
		"fruit fud fuel fun function fund funds fur future gain gains game games gap garden gas " +
		"gasoline gate gear gender generation genius gf gift girl girlfriend girls goal goals " +
		"god gold good government grade grandma grass ground group groups growth guess guest " +
		"guide gun guy guys gwei habit hair half hall hand hands hat hate head heads health " +
		"heart heat height hell help hero hill hint hit hodl hole holiday hollow home honey " +
		"hood hopium horse hospital host hotel hour house houses human hunger husband ice image " +
		"impression inch income index industry inflation info input insect inside instance " +
		"insurance interest internet interview investment investor investors invite island " +
		"issue job jobs joke jokes journey judge juice july june kid kids killer kitchen knee " +
		"knight knowledge lady lake land language laptop law lawyer lead leader leaf league leg " +
		"legend lesson letter library license lie life light limit line lines lion lip " +
		"liquidation lock logic login loss losses love luck lunch machine magazine magic mail " +
		"maker mama man management manager map margin mark marketing markets marriage master " +
		"match material math mcap meal meaning measure meat media medicine meeting member " +
		"members memecoin memecoins memory men menu message metal meta metamask metaverse " +
		"metric mile milk mind mine minute mirror miss mission mistake mode model mom moment " +
		"monday money month mood moon morning mother motion mountain mouse mouth movie movies " +
		"mum muscle music name narrative nature neck network news night nights noise noon " +
		"north nose note notes nothing notification notifications object ocean " +
		"office oil opportunity opinion orange order orders outcome owner pack page pain paint " +
		"pair panel panic paper parent parents park part partner partnership party passion " +
		"password past path pattern payment peace peak pen people percent period permission " +
		"person phase philosophy phone photo phrase pic pick picture piece pixel place plan " +
		"plane planet plant plate platform player players pleasure pocket point poison poker " +
		"police policy politics pool poop population port portfolio position positions post " +
		"posts potential power practice presale president press pressure pride prince princess " +
		"print prints prison prize problem product production profit profits program progress " +
		"promise proof protocol public pump purpose quality quantity quarter queen question " +
		"race radio rain range rate reaction reader reality reason receipt record red region " +
		"relation relationship religion rent report reputation request research resource rest " +
		"restaurant result return returns revenue review reward rewards rice ride right ring " +
		"risk river road roadmap robot rock role roof room root round route row royalties " +
		"royalty rug rugs rule rules rumor rumors sale salt sample sand saturday savings scale " +
		"scam scammer scams scene school science score scratch screen sea season seat second " +
		"secret section security seed seller sense sentiment series server service session set " +
		"setup sex shadow shame shape share shares sheet ship shirt shit shock shoe shop shot " +
		"show shower sight sign signal signals silence singer sister site size skill skin sky " +
		"sleep smell smile smoke snow social society software soil solution son song soul sound " +
		"soup source space speaker species speech speed spirit sport spot spread spring square " +
		"stage stake staking stand standard star start statement station stealth step stock " +
		"stonk stonks stop store storm story strategy street strength stress string structure " +
		"struggle student studio studios study style subject success sugar suggestion summer " +
		"sun sunday supply support surface surprise survey sweat swamp swing switch symbol " +
		"system table tail talent talk target task taste tax tea teacher team tech technology " +
		"telegram television tendency tension term terms test text thanks theme theory thesis " +
		"thief thing thought thread threat thursday ticket tip title toe token tokens tone " +
		"tongue tool tooth top topic touch tour towel town toy trader traders tradition traffic " +
		"train training transaction transfer translation transport trash travel treasure " +
		"treasury treat tree trend trick trip trouble truck trust truth tube tuesday tune turn " +
		"tv tweet tweets twitter twist uncle unit universe update upgrade user users utility " +
		"vacation value variety vault vector vehicle version vibe vibes victim video view " +
		"village violence vision visit voice vote wall wallet war warning waste watch water " +
		"wave weakness wealth weapon weather website wedding wednesday week weekend weight " +
		"whale wheel whitelist wife wind window wine wing winner winter wish witness wl woman " +
		"women wonder wood word work worker world worry writer yard year years yesterday youth " +
		"zone zero burger pizza gym mornin boss dip dips rip convo chop chart charts candle " +
		"candles bullrun bearmarket altcoin altcoins alts btc bitcoin sol solana xrp bnb " +
		"premium primary blind calendar minutes seconds moments while bit statistics statistic " +
		"key main whole stuff wallets marketplace marketplaces venue venues launchpad " +
		"launchpads offering offerings purchase purchases buyer holder flows volume sales price " +
		"prices cost costs amount total sum count counts level levels december november october " +
		"september august april march february january autumn christmas easter halloween " +
		"weekday midnight colleague coworker roommate neighbor landlord doctor dentist uni " +
		"university college homework essay newsletter podcast stream episode clip meme memes " +
		"loop baby nap broke damage deadline student gif gifs emoji emojis battery wifi keyboard tab bus uber taxi run walk bed couch " +
		"toilet bathroom tomorrow keys ledger trezor rabby phantom hacker hack exploit drainer " +
		"snipers sniper raid raids shill shills influencer influencers kol kols caller callers " +
		"mods mod admin admins tickets",
);

function setOf(list: string): ReadonlySet<string> {
	return new Set(list.split(" "));
}
