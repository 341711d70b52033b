// Package credentials makes and checks what people and programs log in with: the hashes of
// passwords, and personal access tokens.
//
// # What it owns
//
// The form of a stored hash ([HashPassword], [CheckHash], [VerifyPassword]) and of a token and
// what is stored of it ([NewToken], [DigestOf]). Both are made by whoever admits a request,
// before it enters the log: the log and the state that follows from it hold no secret, and the
// machine that executes the request draws nothing at random.
//
// # What it never does
//
// It knows no users, owns no source of randomness and reads no clock: they are the caller's. It
// keeps no state but which passwords were right lately ([Memory]).
//
// # Invariants
//
//   - What HashPassword returns, CheckHash accepts and VerifyPassword finds right for that
//     password and wrong for any other.
//   - CheckHash depends on the text alone and accepts no text that is not a hash: so a
//     password that somebody forgot to hash is refused.
//   - VerifyPassword takes the time and memory of one hash within the bounds of [CheckHash],
//     whatever the text, also of none: a caller who does not know a user passes "", and the
//     time does not tell.
//
// # Form
//
// A hash is argon2id (RFC 9106) in the usual text form, 97 bytes for a salt of 16 and a key of
// 32 in unpadded base64:
//
//	$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY
//
// m is memory in KiB, t the passes, p the lanes. New hashes have the numbers above, 19 MiB and
// two passes, OWASP's minimum. Others are accepted up to m=65536, t=10, p=4, so that the choice
// can change without a change of the form.
//
// A token is the prefix "vst_" and 32 random bytes in unpadded URL-safe base64, 47 bytes. Its
// 256 random bits need no slow hash: BLAKE3-256 of its text is stored.
package credentials
