package protocol

import "github.com/viewstamp/viewstamp/impl/wire"

// ProtocolVersion is the version of the layouts in this package: 0.11.0.
const ProtocolVersion uint32 = 11 << 10

// Version says what a client speaks.
type Version struct {
	// Protocol is major<<20 | minor<<10 | patch.
	Protocol uint32
	// Library and Release name the client's library.
	Library, Release string
}

func (v *Version) layout(c *coder) {
	c.u32("protocol_version", &v.Protocol)
	c.name("sdk_name", &v.Library)
	c.name("sdk_version", &v.Release)
}

// Login is the body of a Register of somebody with a password.
type Login struct {
	Version
	User, Password string
	// Context is for the server's log.
	Context string
}

func (l *Login) layout(c *coder) {
	l.Version.layout(c)
	c.name("user", &l.User)
	c.text("password", &l.Password)
	c.text32("context", &l.Context)
}

// LoginWithToken is the body of a Register of somebody with a personal access token.
type LoginWithToken struct {
	Version
	Token string
	// Context is for the server's log.
	Context string
}

func (l *LoginWithToken) layout(c *coder) {
	l.Version.layout(c)
	c.name("token", &l.Token)
	c.text32("context", &l.Context)
}

// Credentials are what a Register brings, in whichever form.
type Credentials struct {
	Version
	// Token is set if the client comes with one; User and Password are empty then.
	Token          string
	User, Password string
}

// DecodeLogin reads the body of a Register. Nothing in it says which of the two forms it has,
// so that it is [Login] if that fits to the last byte, else [LoginWithToken].
//
// Errors: that of Decode for Login.
func DecodeLogin(body []byte) (Credentials, error) {
	var login Login
	err := Decode(body, &login)
	if err == nil {
		return Credentials{
			Version: login.Version, User: login.User, Password: login.Password,
		}, nil
	}
	var byToken LoginWithToken
	if Decode(body, &byToken) == nil {
		return Credentials{Version: byToken.Version, Token: byToken.Token}, nil
	}
	return Credentials{}, err
}

// Standing is what a numbered Register is told beside its session (R18).
type Standing struct {
	// Born is the op that created the client's row. Above the client's last session, what was
	// open in it has an unknown outcome; else Watermark decides for good.
	Born wire.SessionNumber
	// Watermark is the highest number that was executed.
	Watermark wire.RequestNumber
}

// LoginReply is the payload of a Register's reply.
type LoginReply struct {
	UserID  uint32
	Session wire.SessionNumber
	// ServerProtocol and ServerVersion say what the node speaks and is.
	ServerProtocol uint32
	ServerVersion  string
	// Standing is there if the Register had a number.
	Standing *Standing
}

func (l *LoginReply) layout(c *coder) {
	c.u32("user_id", &l.UserID)
	c.u64("session", (*uint64)(&l.Session))
	c.u32("server_protocol_version", &l.ServerProtocol)
	c.text("server_version", &l.ServerVersion)
	if c.decoding && c.refused == nil && c.left() > 0 {
		l.Standing = &Standing{}
	}
	if l.Standing != nil {
		c.u64("born", (*uint64)(&l.Standing.Born))
		c.u64("watermark", (*uint64)(&l.Standing.Watermark))
	}
}
