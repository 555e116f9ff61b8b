// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IRevenueRouter} from "./IRevenueRouter.sol";

/// Splits revenue and keeps it until it is asked for.
///
/// No deposit is divided by itself, or rounding would starve small shares: each split keeps the
/// undivided total of each source and currency, and a deposit earns every bucket the difference
/// between its shares of two totals. So ten thousand deposits of one unit earn what one of ten
/// thousand does.
contract RevenueRouter is IRevenueRouter, IERC165, Ownable2Step, ReentrancyGuardTransient {
	using SafeERC20 for IERC20;

	uint256 private constant WHOLE = 10_000;
	uint256 private constant BUCKETS = 4;
	bytes32 private constant DEFAULT_SOURCE = 0;
	address private constant NATIVE = address(0);

	/// Every split that ever was; a source that has no own one (0) follows the default's.
	uint16[4][] private splits;
	mapping(bytes32 source => uint256) private ownSplit;
	mapping(uint256 split => mapping(bytes32 source => mapping(address currency => uint256)))
		private totals;
	mapping(address currency => uint256[4]) private earnedIn;
	mapping(address currency => uint256[4]) private paidIn;
	address[4] private payees;

	error SplitSum();
	error PayeeIsRouter();
	error PayeeIsNobody();
	error NothingReceived();
	/// The token moved another amount than it was told to.
	error TransferMisreported(address token);

	constructor(address owner_, address[4] memory payees_) Ownable(owner_) {
		// Number 0 means that a source has no split of its own.
		splits.push();
		keepSplit(DEFAULT_SOURCE, [uint16(3_500), 1_500, 2_000, 3_000]);
		for (uint8 bucket = 0; bucket < BUCKETS; bucket++) keepPayee(bucket, payees_[bucket]);
	}

	function owner() public view override(Ownable, IRevenueRouter) returns (address) {
		return super.owner();
	}

	function splitOf(bytes32 source) external view returns (uint16[4] memory) {
		return splits[splitNumberOf(source)];
	}

	function payeeOf(uint8 bucket) external view returns (address) {
		return payees[bucket];
	}

	function owed(uint8 bucket, address currency) public view returns (uint256) {
		return earnedIn[currency][bucket] - paidIn[currency][bucket];
	}

	function earned(uint8 bucket, address currency) external view returns (uint256) {
		return earnedIn[currency][bucket];
	}

	function setSplit(bytes32 source, uint16[4] calldata bps) external onlyOwner {
		keepSplit(source, bps);
	}

	function setPayee(uint8 bucket, address payee) external onlyOwner {
		keepPayee(bucket, payee);
	}

	function deposit(bytes32 source) external payable {
		count(source, NATIVE, msg.value);
	}

	receive() external payable {
		count(DEFAULT_SOURCE, NATIVE, msg.value);
	}

	function depositToken(
		bytes32 source,
		address token,
		uint256 amount
	) external nonReentrant {
		uint256 before = IERC20(token).balanceOf(address(this));
		IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
		count(source, token, IERC20(token).balanceOf(address(this)) - before);
	}

	/// Counts what was sent here without a deposit (a plain transfer of a token) as revenue of the
	/// default source. Anybody may call it.
	function countTransferred(address currency) external nonReentrant {
		uint256 held = currency == NATIVE
			? address(this).balance
			: IERC20(currency).balanceOf(address(this));
		for (uint8 bucket = 0; bucket < BUCKETS; bucket++) held -= owed(bucket, currency);
		count(DEFAULT_SOURCE, currency, held);
	}

	function release(
		uint8 bucket,
		address currency
	) external nonReentrant returns (uint256 paid) {
		paid = owed(bucket, currency);
		if (paid == 0) return 0;
		paidIn[currency][bucket] += paid;
		address payee = payees[bucket];
		emit Paid(bucket, currency, payee, paid);
		if (currency == NATIVE) Address.sendValue(payable(payee), paid);
		else pay(currency, payee, paid);
	}

	function supportsInterface(
		bytes4 interfaceId
	) external pure override(IERC165, IRevenueRouter) returns (bool) {
		return
			interfaceId == type(IRevenueRouter).interfaceId ||
			interfaceId == type(IERC165).interfaceId;
	}

	function keepSplit(bytes32 source, uint16[4] memory bps) private {
		if (uint256(bps[0]) + bps[1] + bps[2] + bps[3] != WHOLE) revert SplitSum();
		ownSplit[source] = splits.length;
		splits.push(bps);
		emit SplitSet(source, bps[0], bps[1], bps[2], bps[3]);
	}

	function keepPayee(uint8 bucket, address payee) private {
		if (payee == address(0)) revert PayeeIsNobody();
		if (payee == address(this)) revert PayeeIsRouter();
		payees[bucket] = payee;
		emit PayeeSet(bucket, payee);
	}

	function splitNumberOf(bytes32 source) private view returns (uint256) {
		uint256 own = ownSplit[source];
		return own == 0 ? ownSplit[DEFAULT_SOURCE] : own;
	}

	function count(bytes32 source, address currency, uint256 amount) private {
		if (amount == 0) revert NothingReceived();
		uint256 number = splitNumberOf(source);
		uint16[4] memory bps = splits[number];
		uint256 total = totals[number][source][currency];
		totals[number][source][currency] = total + amount;
		uint256[4] memory had = sharesOf(total, bps);
		uint256[4] memory has = sharesOf(total + amount, bps);
		uint256[4] storage earning = earnedIn[currency];
		for (uint256 bucket = 0; bucket < BUCKETS; bucket++) {
			uint256 more = has[bucket] - had[bucket];
			if (more > 0) earning[bucket] += more;
		}
		emit RevenueReceived(source, currency, msg.sender, amount);
	}

	/// Each bucket takes its share of what those before it left, and the last one the rest. So the
	/// shares add up, and none of them shrinks when the total grows: with shares rounded one by one
	/// the last would, after it was paid.
	function sharesOf(
		uint256 total,
		uint16[4] memory bps
	) private pure returns (uint256[4] memory shares) {
		uint256 left = total;
		uint256 parts = WHOLE;
		for (uint256 bucket = 0; bucket < BUCKETS; bucket++) {
			if (parts == 0) break;
			shares[bucket] = (left * bps[bucket]) / parts;
			left -= shares[bucket];
			parts -= bps[bucket];
		}
	}

	/// A token that takes more from here than it pays would pay one bucket with another's money; one
	/// that takes less has not paid.
	function pay(address token, address payee, uint256 amount) private {
		uint256 before = IERC20(token).balanceOf(address(this));
		IERC20(token).safeTransfer(payee, amount);
		uint256 left = IERC20(token).balanceOf(address(this));
		if (left + amount != before) revert TransferMisreported(token);
	}
}
