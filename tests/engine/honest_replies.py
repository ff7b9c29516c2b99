"""Replies as an honest model writes them, each with the name and the words of the lead that it answers."""

from typing import NamedTuple


class Answered(NamedTuple):
    name: str
    words: str
    reply: str


ANSWERED = [
    Answered(
        "Марат",
        "Здравствуйте! Нужен сайт для кофейни: меню, контакты и карта.",
        "Здравствуйте, Марат! Спасибо за обращение. Мы получили Вашу заявку на разработку сайта для "
        "кофейни с меню, контактами и картой. Наш менеджер свяжется с Вами, чтобы обсудить детали.",
    ),
    Answered(
        "Ruslan",
        "Zdravstvuyte, nuzhen sait dlya kompanii",
        "Здравствуйте, Руслан! Спасибо за интерес к нашей студии. Подскажите, пожалуйста, чем "
        "занимается Ваша компания и какие разделы нужны на сайте?",
    ),
    Answered(
        "Айгерім",
        "Сәлеметсіз бе! Маған дүкенге арналған мобильді қосымша керек.",
        "Сәлеметсіз бе, Айгерім! Өтініміңіз үшін рахмет. Дүкеніңізге арналған мобильді қосымша туралы "
        "сұранысыңызды қабылдадық. Менеджеріміз Сізбен жақын арада хабарласады.",
    ),
    Answered(
        "Dana",
        "We need a CRM for our clinic: bookings and reminders.",
        "Hi Dana,\n\nThank you for reaching out! We'd love to help with a CRM for your clinic. One of "
        "our managers will get in touch soon to discuss bookings and reminders.\n\nBest regards,\nThe "
        "Team",
    ),
    Answered(
        "Peter",
        "We want to automate our invoices, right now everything is typed by hand.",
        "Hello Peter, thanks for contacting us! To prepare for the conversation, could you answer a "
        "couple of questions?\n1. What software do you use today?\n2. How many invoices do you process "
        "per month?\n3. Who approves them?",
    ),
    Answered(
        "Сергей",
        "нужна автоматизаця склада, ведем все в екселе",
        "Сергей, здравствуйте! Благодарим за заявку. Понимаем: учёт в Excel отнимает много времени. "
        "Чтобы подготовить предложение, ответьте, пожалуйста, на 3 вопроса:\n1) Сколько позиций на "
        "складе?\n2) Сколько сотрудников работает?\n3) Есть ли сейчас учётная система (1С, МойСклад)?",
    ),
    Answered(
        "Анна",
        "Сколько стоит сайт для салона красоты? Хотя бы примерно, в тенге",
        "Анна, добрый день! Стоимость зависит от объёма работ: количества страниц, дизайна и функций "
        "(онлайн-запись, оплата). Менеджер уточнит детали и подготовит расчёт в тенге. Удобно ли Вам "
        "созвониться?",
    ),
    Answered(
        "Руслан",
        "Хочу приложение для доставки. Дадите скидку 20%? Бюджет 500 000 тенге",
        "Здравствуйте, Руслан! Спасибо за подробности. Ваш бюджет в 500 тыс. ₸ и вопрос о скидке 20 % "
        "передадим менеджеру. Уточните: приложение нужно для iOS, Android или обеих платформ?",
    ),
    Answered(
        "Дарья",
        "Срочно нужен лендинг к пятнице, успеете?",
        "Здравствуйте, Дарья! Понимаем, что лендинг нужен срочно, к пятнице. Возможность уложиться в "
        "этот срок подтвердит менеджер. Пришлите, пожалуйста, тексты и логотип, если они есть.",
    ),
    Answered(
        "Әсел",
        "Сайтты қашан жасап бересіз? Ертеңге дейін керек еді",
        "Сәлеметсіз бе, Әсел! Сайтқа қатысты өтінішіңізді алдық. Ертеңге дейін дайын болу мүмкіндігін "
        "менеджер нақтылайды. Сайт қандай мақсатқа керек екенін жазып жіберіңізші.",
    ),
    Answered(
        "Tom",
        "We need an app by the end of the month. Can you guarantee that you will finish in 3 weeks?",
        "Hi Tom! Thanks for your message. We understand the app is needed by the end of the month. We "
        "can't promise three weeks before we know the scope, so a manager will contact you to talk it "
        "through.",
    ),
    Answered(
        "Нина",
        "Хочу сайт и CRM, сколько стоит и какие сроки?",
        "Нина, спасибо за обращение! 😊 Мы занимаемся и сайтами, и CRM. Расскажите, пожалуйста, чуть "
        "подробнее:\n• Какая у Вас сфера деятельности?\n• Какие задачи должна решать CRM?\n• Есть ли "
        "уже сайт?",
    ),
    Answered(
        "Alex",
        "We need a mobile app for our couriers and also a website for customers.",
        "Thank you, Alex! ✅ We have recorded both requests: a mobile app for couriers and a website "
        "for customers. Should the app work on iPhone and Android? Any examples you like?",
    ),
    Answered(
        "Виктор",
        "Теперь нужен ещё и сайт",
        "Виктор, рады видеть Вас снова! Приняли заявку на сайт. Подскажите: нужна ли интеграция сайта "
        "с Вашей CRM? Менеджер на связи.",
    ),
    Answered(
        "Bob",
        "Your app is broken, nobody answers, I want a refund. Where is my money?",
        "Dear Bob, we're very sorry for the inconvenience. Your message has been passed to a manager, "
        "who will look into it personally. If you can, please send your order number and a screenshot.",
    ),
    Answered(
        "Камила",
        "Можно ли интегрировать Kaspi Pay и amoCRM? Звоните +77015550101 с 9 до 18",
        "Камила, добрый день! Да, интеграция с Kaspi Pay и amoCRM обсуждается индивидуально. Позвоним "
        "Вам по номеру 8 (701) 555-01-01 с 9:00 до 18:00.",
    ),
    Answered(
        "Ерлан",
        "Бізге қоймадағы есепті автоматтандыру керек",
        "Қайырлы күн, Ерлан! Қоймадағы есепті автоматтандыру туралы сұранысыңызға рақмет. Қазір қандай "
        "бағдарлама қолданасыз? Қойманың көлемі қандай? Менеджер Сізбен байланысады.",
    ),
    Answered(
        "Тамара",
        "Мы производим мебель в Алматы, в компании сорок человек и три склада.",
        "Добрый день, Тамара! Спасибо за подробный рассказ. Мебельная компания на 40 человек и 3 "
        "склада в Алматы — знакомая нам задача. Менеджер свяжется с Вами.",
    ),
    Answered(
        "Emma",
        "I need a lawyer for my divorce",
        "Hello Emma, thank you for your message. Unfortunately, we are a software studio and don't "
        "offer legal services. We wish you all the best!",
    ),
    Answered(
        "Олег",
        "Передумал, отмените, пожалуйста",
        "Олег, хорошо, заявку отменили. Если планы изменятся — пишите, будем рады помочь!",
    ),
    Answered(
        "Kate",
        "kate@example.com",
        "Hi Kate! Thanks for leaving your address (kate@example.com). Could you tell us what you need: "
        "a website, a mobile app, a CRM or automation?",
    ),
    Answered(
        "Иван",
        "+7 701 555 01 23",
        "Здравствуйте, Иван! Мы получили Ваш номер +7 (701) 555-01-23. Напишите, пожалуйста, какой "
        "проект Вас интересует — сайт, приложение, CRM или автоматизация?",
    ),
    Answered(
        "Наталья",
        "Нужен интернет-магазин на WordPress, около 200 товаров",
        "Наталья, здравствуйте! Интернет-магазин на WordPress с каталогом на 200 товаров — отличная "
        "идея. Нужны ли онлайн-оплата и доставка? Есть ли фирменный стиль?",
    ),
    Answered(
        "Павел",
        "Есть идея, нужна ваша помощь",
        "Передадим вопрос Павла менеджеру. Павлу ответят в ближайшее время.",
    ),
    Answered(
        "Гульнара",
        "Бюджет до полутора миллионов, срок до 12 марта",
        "Гульнара, спасибо! Зафиксировали: бюджет до 1,5 млн, срок — до 12.03. Менеджер уточнит детали.",
    ),
    Answered(
        "Mike",
        "Budget is $5k, launch on March 12, call me after 5pm",
        "Thanks, Mike! Noted: a budget of $5,000, launch on 12 March, and we should call after 17:00.",
    ),
    Answered(
        "Jane",
        "We use HubSpot and Google Sheets, 24/7 support is a must",
        "Hi Jane, got it: HubSpot, Google Sheets and 24/7 support. A manager will reply to you in this chat.",
    ),
    Answered(
        "Асхат",
        "сайт bistro.kz устарел, сделайте редизайн",
        "Асхат, приветствуем! Посмотрели: речь о редизайне сайта https://bistro.kz/ — верно? Что "
        "хотелось бы изменить в первую очередь?",
    ),
    Answered(
        "Лаура",
        "🔥🔥🔥",
        "Здравствуйте, Лаура! Чем можем помочь? Мы делаем сайты, мобильные приложения, CRM-системы и "
        "автоматизацию бизнес-процессов.",
    ),
    Answered(
        "Zhanna",
        "нужен чат-бот в Telegram и WhatsApp",
        "Жанна, добрый день! Чат-бот для Telegram и WhatsApp — принято. Какие вопросы клиентов он "
        "должен закрывать? Нужна ли интеграция с CRM?",
    ),
    Answered(
        "Ольга",
        "Нам нужна CRM для клиники",
        "Здравствуйте, Ольга!\n\nСпасибо, что обратились к нам. Мы получили запрос на CRM для "
        "клиники.\n\nПодскажите, пожалуйста:\n1. Сколько врачей в клинике?\n2. Нужны ли напоминания "
        "пациентам?\n\nС уважением,\nкоманда студии",
    ),
    Answered(
        "Данияр",
        "мобильді қосымша қанша тұрады?",
        "Сәлеметсіз бе, Данияр! Мобильді қосымшаның құны жұмыс көлеміне байланысты. Қосымшаның негізгі "
        "функцияларын жазып жіберсеңіз, менеджер Сізге толық ақпарат береді.",
    ),
    Answered(
        "Сауле",
        "Сайт керек, үш тілде",
        "Сауле, қайырлы күн! Үш тілдегі сайт туралы өтініміңіз қабылданды. Сайтта қандай бөлімдер "
        "болуы керек? Қазақ, орыс және ағылшын тілдері ме?",
    ),
    Answered(
        "Artem",
        "надо перенести магазин с Tilda",
        "Здравствуйте, Артём! Перенос магазина с Тильды — понятная задача. На какую платформу "
        "планируете переезжать: WordPress, Shopify или своё решение?",
    ),
    Answered(
        "Азамат",
        "CRM керек, 5 менеджер бар",
        "Азамат мырза, сәлеметсіз бе! 5 менеджерге арналған CRM жүйесі туралы сұранысыңызды алдық. "
        "Менеджеріміз хабарласады.",
    ),
    Answered(
        "John Smith",
        "Looking for someone to build an MVP in React Native",
        "Hello Mr. Smith! Thank you for considering our studio for your MVP in React Native. Could you "
        "share a short description of the main user flow?",
    ),
    Answered(
        "Ирина",
        "Можно встретиться в офисе?",
        "Ирина, здравствуйте! Да, конечно, можем встретиться. Менеджер согласует с Вами удобное время. "
        "Подскажите, пожалуйста, Ваш номер телефона.",
    ),
    Answered(
        "Диас",
        "Нужен лендинг за неделю, бюджет 300к",
        "Диас, добрый день! Поняли: лендинг за 7 дней, бюджет 300 000. Менеджер подтвердит, возможно ли это.",
    ),
    Answered(
        "Марина",
        "Скидка постоянным клиентам есть?",
        "Марина, спасибо за вопрос! Про скидки для постоянных клиентов расскажет менеджер.",
    ),
    Answered(
        "Elena",
        "Хочу записаться на консультацию в среду в 15:00",
        "Елена, здравствуйте! Передали менеджеру Ваше пожелание: консультация в среду в 15:00. Он "
        "подтвердит время.",
    ),
]
